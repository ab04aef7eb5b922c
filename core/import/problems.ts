/** Errors of trace files from other tools. */
import { CopyscopeError } from '../errors.ts';

export type TraceFileCode =
  /** Ends early: everything before is kept. */
  | 'trace-file.truncated'
  /** Something else follows: either the trace is complete, or it breaks off there. */
  | 'trace-file.followed'
  /** Not JSON from some byte on, or a damaged database: everything readable is kept. */
  | 'trace-file.malformed'
  /** Contains no trace. */
  | 'trace-file.not-a-trace'
  /** Another tool's trace in the same format. */
  | 'trace-file.other-profiler'
  | 'trace-file.too-large'
  /** Nsight Systems' own report, which only its nsys reads. */
  | 'trace-file.nsys-report'
  /** Can't be one rank of several. */
  | 'trace-file.ranks';

const remedies: Readonly<Record<TraceFileCode, string>> = {
  'trace-file.truncated': 'Copy the file again, or let the profiler finish writing it.',
  'trace-file.followed': 'Copy the file again, or let the profiler finish writing it.',
  'trace-file.malformed': 'Export the trace again.',
  'trace-file.not-a-trace':
    "Open a trace that PyTorch's profiler exported (export_chrome_trace), or what nsys export --type=sqlite made.",
  'trace-file.other-profiler':
    'Record the program with Nsight Systems (nsys profile, then nsys export --type=sqlite) or with copyscope record, and open that.',
  'trace-file.too-large': 'Profile fewer steps.',
  'trace-file.ranks': 'Name the trace of each rank once, each from a file of its own, or explain that file alone.',
  'trace-file.nsys-report': 'Run nsys export --type=sqlite FILE, and open what it writes.',
};

/** Notes for a trace that breaks off: missing parts may have been recorded in the rest. */
export const noneRead = {
  stream: 'The part that could be read contains no GPU activity.',
  thread: 'The part that could be read contains no host thread.',
} as const;

export function traceFileError(
  code: TraceFileCode,
  message: string,
  options: { readonly field?: string; readonly cause?: unknown } = {},
): CopyscopeError {
  const { field, cause } = options;
  return new CopyscopeError(
    { code, message, remedy: remedies[code], ...(field === undefined ? {} : { field }) },
    cause === undefined ? undefined : { cause },
  );
}
