/** Notes on an Nsight Systems export: what it lacks, and which parts aren't shown. */
import type { ErrorInfo } from '../../errors.ts';
import type { Trace } from '../../trace/trace.ts';
import { unknownEvent } from '../importedRows.ts';
import { noneRead } from '../problems.ts';

export interface Found {
  /** Version of Nsight Systems that exported it; null if missing. */
  readonly product: string | null;
  /** Number of rows without a usable time or place. */
  readonly incomplete: number;
  readonly wholeGraphs: number;
  /** Number of calls whose stacks found no room. */
  readonly withoutStack: number;
  /** Tables that aren't read. */
  readonly leftOut: readonly string[];
  /** Why not everything could be read; null if it could. */
  readonly problem: ErrorInfo | null;
}

export function nsightNotes(
  trace: Trace,
  { product, incomplete, wholeGraphs, withoutStack, leftOut, problem }: Found,
): string[] {
  const has = (kind: string): boolean => trace.lanes.some((lane) => lane.kind === kind);
  const advice = 'profile with nsys profile --trace=cuda,nvtx,osrt.';
  return [
    ...(product === null ? [] : [`Exported by Nsight Systems ${product}.`]),
    ...(has('stream') ? [] : [problem === null ? `No GPU activity was recorded: ${advice}` : noneRead.stream]),
    ...(has('host-thread') ? [] : [problem === null ? `No host thread was recorded: ${advice}` : noneRead.thread]),
    ...(wholeGraphs === 0
      ? []
      : [
          `${wholeGraphs} launches of CUDA graphs were recorded whole, each as one activity: profile with --cuda-graph-trace=node to see their kernels.`,
        ]),
    orders(trace),
    'It does not say which copy engine moved a copy: copies are shown on the engine of their direction, copies within the device on Compute.',
    'Data was not checked, and the same work was not timed without the profiler.',
    'Environment variables, command lines, host and user names of the machine are left out.',
    ...(incomplete === 0 ? [] : [`${incomplete} events have no usable time or place, or no end, and are left out.`]),
    ...(withoutStack === 0
      ? []
      : [`Stacks of ${withoutStack} calls are left out: they would take room that device activities need.`]),
    ...(leftOut.length === 0 ? [] : [`Not shown: ${leftOutWords(leftOut)}.`]),
  ];
}

/** Describes what the trace tells about the order between streams. */
function orders({ names, columns, count }: Trace): string {
  const unknown = names.indexOf(unknownEvent);
  const hasUnknown = unknown >= 0 && columns.name.subarray(0, count).includes(unknown);
  const events = hasUnknown
    ? 'It does not say which event some waits are for (nsys profile --cuda-event-trace=true records it): they are named if nothing else explains the time at which work began.'
    : 'It has the waits of streams for events only if they were recorded.';
  return `${events} It does not say which buffers an operation touches: whether the legacy default stream orders two operations, or one needs the other's data, is unknown.`;
}

const mostTables = 8;

function leftOutWords(tables: readonly string[]): string {
  const words = tables.slice(0, mostTables).map((table) => table.slice(0, 80));
  const rest = tables.length - words.length;
  return [...words, ...(rest === 0 ? [] : [`${rest} other tables`])].join(', ');
}
