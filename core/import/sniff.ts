/** Tells a trace of PyTorch's profiler from other files by its first bytes, whatever it is called. */
import { newTextDecoder } from './platform.ts';

/** So many bytes decide. */
export const sniffedBytes = 4096;

const traceMembers =
  /"(traceEvents|schemaVersion|deviceProperties|displayTimeUnit|baseTimeNanoseconds|trace_id|distributedInfo|ph)"\s*:/;

/** Whether to read the file as a trace. Gzipped data counts: nothing else that Copyscope opens is packed. */
export function looksLikeTrace(file: Uint8Array): boolean {
  if (file[0] === 0x1f && file[1] === 0x8b) return true;
  const head = newTextDecoder().decode(file.subarray(0, sniffedBytes)).trimStart();
  if (head.includes('"copyscope/')) return false;
  // Chrome's format is an object with traceEvents, or a bare array of events.
  return /^\[\s*\{/.test(head) || (head.startsWith('{') && traceMembers.test(head));
}

/** A trace file's name without its endings, as 'worker0.pt.trace.json.gz'. */
export const traceName = (file: string): string => file.replace(/(\.pt)?(\.trace)?\.json(\.gz)?$|\.gz$/i, '') || file;
