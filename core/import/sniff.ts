/** Tells traces of other tools from other files by their first bytes, whatever they are called. */
import { newTextDecoder } from './platform.ts';

/** So many bytes decide. */
export const sniffedBytes = 4096;

const traceMembers =
  /"(traceEvents|schemaVersion|deviceProperties|displayTimeUnit|baseTimeNanoseconds|trace_id|distributedInfo|ph)"\s*:/;

/** Whether to read the file as a trace of PyTorch's profiler. Gzipped data counts: nothing else that Copyscope opens is packed. */
export function looksLikeTrace(file: Uint8Array): boolean {
  if (file[0] === 0x1f && file[1] === 0x8b) return true;
  const head = newTextDecoder().decode(file.subarray(0, sniffedBytes)).trimStart();
  if (head.includes('"copyscope/')) return false;
  // Chrome's format is an object with traceEvents, or a bare array of events.
  return /^\[\s*\{/.test(head) || (head.startsWith('{') && traceMembers.test(head));
}

const sqliteMagic = 'SQLite format 3\0';

/** Whether it is a SQLite database: of those, Nsight Systems' exports are read. */
export const looksLikeDatabase = (file: Uint8Array): boolean =>
  [...sqliteMagic].every((letter, index) => file[index] === letter.charCodeAt(0));

/** Whether it is called as Nsight Systems calls its reports, whose format is its own. */
export const isNsysReport = (name: string): boolean => /\.(nsys-rep|qdrep)$/i.test(name);

/** A trace file's name without its endings, as 'worker0.pt.trace.json.gz', 'train.sqlite' or '4711.cprec'. */
export const traceName = (file: string): string =>
  file.replace(/(\.pt)?(\.trace)?\.json(\.gz)?$|\.gz$|\.(sqlite3?|db|nsys-rep|qdrep|cprec)$/i, '') || file;
