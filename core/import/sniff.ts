/** Recognises files by their first bytes, whatever their name. */

import { CopyscopeError } from '../errors.ts';
import { newTextDecoder } from './platform.ts';

/** Number of bytes that decide. */
export const sniffedBytes = 4096;

const traceMembers =
  /"(traceEvents|schemaVersion|deviceProperties|displayTimeUnit|baseTimeNanoseconds|trace_id|distributedInfo|ph)"\s*:/;

/** Returns whether to read the file as a trace of PyTorch's profiler. Gzipped data counts: nothing else is packed. */
export function looksLikeTrace(file: Uint8Array): boolean {
  if (file[0] === 0x1f && file[1] === 0x8b) return true;
  const head = newTextDecoder().decode(file.subarray(0, sniffedBytes)).trimStart();
  if (head.includes('"copyscope/')) return false;
  // Chrome's format is an object with traceEvents, or a bare array of events.
  return /^\[\s*\{/.test(head) || (head.startsWith('{') && traceMembers.test(head));
}

const sqliteMagic = 'SQLite format 3\0';

/** Returns whether it is a SQLite database, which may be an export of Nsight Systems. */
export const looksLikeDatabase = (file: Uint8Array): boolean =>
  [...sqliteMagic].every((letter, index) => file[index] === letter.charCodeAt(0));

/** Returns whether its name is that of an Nsight Systems report, which has its own format. */
export const isNsysReport = (name: string): boolean => /\.(nsys-rep|qdrep)$/i.test(name);

/** Returns a trace file's name without extensions: 'worker0.pt.trace.json.gz', 'train.sqlite', '4711.cprec'. */
export const traceName = (file: string): string =>
  file.replace(/(\.pt)?(\.trace)?\.json(\.gz)?$|\.gz$|\.(sqlite3?|db|nsys-rep|qdrep|cprec)$/i, '') || file;

/** Kinds of file that open, for the message about other files. */
const kinds = [
  'an experiment, a sweep or a benchmark (.json)',
  'a run (.arrow)',
  'a bundle (.copyscope)',
  'a trace of PyTorch’s profiler (.json, .json.gz)',
  'an export or a report of Nsight Systems (.sqlite, .nsys-rep)',
  'a recording of copyscope record (.cprec)',
];

export const unknownKind = (name: string): CopyscopeError =>
  new CopyscopeError({
    code: 'file.unknown-kind',
    message: `Copyscope can't open ${name}.`,
    remedy: `Open ${kinds.slice(0, -1).join(', ')}, or ${kinds.at(-1)}.`,
  });

const arrowMagic = 'ARROW1';

export const looksLikeArrow = (file: Uint8Array): boolean =>
  [...arrowMagic].every((letter, index) => file[index] === letter.charCodeAt(0));

/** Returns whether it looks like an experiment, by its name (so that JSON errors are reported) or its beginning. */
export const looksLikeExperiment = (name: string, head: Uint8Array): boolean =>
  /\.json$/i.test(name) || newTextDecoder().decode(head).trimStart().startsWith('{');
