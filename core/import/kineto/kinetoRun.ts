/** Makes a run of what was read from a PyTorch trace, and notes what such a file lacks. */
import type { ErrorInfo } from '../../errors.ts';
import type { Run } from '../../trace/run.ts';
import type { Trace } from '../../trace/trace.ts';
import { unknownEvent } from '../importedRows.ts';
import type { ImportOptions } from '../importedRun.ts';
import { importedRun } from '../importedRun.ts';
import { noneRead, traceFileError } from '../problems.ts';
import type { Header } from './kinetoHeader.ts';
import type { KinetoRows } from './kinetoRows.ts';

/** Content of the file. */
export interface ReadFile {
  readonly header: Header;
  readonly rows: KinetoRows;
  readonly events: number;
  readonly problem: ErrorInfo | null;
  /** Description of what follows the trace; null if nothing does. */
  readonly behind: string | null;
}

/** Throws `trace-file.other-profiler` if the file is the trace of another tool. */
export function kinetoRun({ header, rows, events, problem, behind }: ReadFile, options: ImportOptions): Run {
  const leftOut = rows.leftOut();
  const { incomplete, otherProfiler } = rows;
  const { trace, startUs, devices, isUnjoined } = rows.finish();
  if (otherProfiler !== null && !trace.lanes.some(({ kind }) => kind === 'stream')) {
    const message = `this is a trace of ${otherProfiler}, whose events show neither host calls nor their GPU work in a form that Copyscope reads.`;
    throw traceFileError('trace-file.other-profiler', message);
  }
  const { driver, runtime, cupti } = header;
  return importedRun(
    {
      format: 'pytorch-profiler',
      trace,
      events,
      // By the file's clock, or the file's date if that clock counts from the machine's start.
      startedMs: (Number(header.baseTimeNs / 1000n) + startUs) / 1000,
      device: header.devices.find(({ index }) => index === (devices[0] ?? 0)) ?? null,
      driver,
      runtime,
      cupti,
      rank: header.rank?.rank,
      problem,
      notes: [
        ...notes(trace, header, leftOut, incomplete, problem),
        ...(isUnjoined ? ['Several processes use the same numbers: work is not joined with its calls.'] : []),
        ...(behind === null ? [] : [`Content after the trace is left out: ${behind}`]),
      ],
    },
    options,
  );
}

function notes(
  trace: Trace,
  { rank }: Header,
  leftOut: ReturnType<ReadFile['rows']['leftOut']>,
  incomplete: number,
  problem: ErrorInfo | null,
) {
  const has = (kind: string): boolean => trace.lanes.some((lane) => lane.kind === kind);
  return [
    ...(rank === null ? [] : [`Rank ${rank.rank} of a job of ${rank.of}.`]),
    ...(has('stream')
      ? []
      : [problem === null ? 'No GPU activity was recorded: profile with ProfilerActivity.CUDA.' : noneRead.stream]),
    ...(has('host-thread')
      ? []
      : [problem === null ? 'No host thread was recorded: profile with ProfilerActivity.CPU.' : noneRead.thread]),
    orders(trace),
    'It does not say which copy engine moved a copy: copies are shown on the engine of their direction, copies within the device on Compute.',
    'Data was not checked, and the same work was not timed without the profiler.',
    ...(incomplete === 0 ? [] : [`${incomplete} events have no usable time or place and are left out.`]),
    ...(leftOut.length === 0 ? [] : [`Not shown: ${leftOutWords(leftOut)}.`]),
  ];
}

/** Describes what the trace tells about the order between streams. */
function orders({ names, columns, count }: Trace): string {
  const unknown = names.indexOf(unknownEvent);
  const hasUnknown = unknown >= 0 && columns.name.subarray(0, count).includes(unknown);
  const events = hasUnknown
    ? 'This trace has waits for events without saying which event: a verdict names such a wait if nothing else explains the time at which work began.'
    : 'This trace has waits of streams for events only if the profiler recorded them.';
  return `${events} No profiler trace says which streams are blocking or which buffers an operation touches: verdicts can't say whether the legacy default stream orders two operations, or whether one needs the other's data.`;
}

const mostCategories = 8;

function leftOutWords(leftOut: ReturnType<ReadFile['rows']['leftOut']>): string {
  const words = leftOut.slice(0, mostCategories).map(([category, count]) => `${count} ${category.slice(0, 60)}`);
  const rest = leftOut.slice(mostCategories).reduce((sum, [, count]) => sum + count, 0);
  return [...words, ...(rest === 0 ? [] : [`${rest} others`])].join(', ');
}
