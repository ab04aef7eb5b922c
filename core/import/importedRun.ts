/** Puts what was read of a trace file into the shape of a run, and says what such a file doesn't hold. */
import { allRows, makespanNs } from '../trace/rows.ts';
import { type Run, type RunInfo, runFormat, runVersion } from '../trace/run.ts';
import type { Trace } from '../trace/trace.ts';
import type { ImportOptions, ReadFile } from './importedFile.ts';
import type { Header } from './kinetoHeader.ts';
import { type ReadTrace, unknownEvent } from './kinetoRows.ts';

export function importedRun({ header, rows, events, problem, behind }: ReadFile, options: ImportOptions): Run {
  const leftOut = rows.leftOut();
  const { incomplete, count } = rows;
  const read = rows.finish();
  const { trace } = read;
  const info: RunInfo = {
    format: runFormat,
    version: runVersion,
    engine: 'cuda',
    status: problem === null ? 'complete' : 'failed',
    ...(problem === null ? {} : { error: problem }),
    createdAt: startedAt(header, read, options).toISOString(),
    experiment: null,
    imported: { format: 'pytorch-profiler', name: options.name.slice(0, 200) || 'trace', events, rows: count },
    device: header.devices.find(({ index }) => index === (read.devices[0] ?? 0)) ?? null,
    machine: null,
    versions: { copyscope: options.version, driver: header.driver, runtime: header.runtime, cupti: header.cupti },
    timing: 'cupti',
    // The whole file is one iteration: a copy of one step may overlap the kernels of another.
    iterations: {
      recordedMakespanNs: count === 0 ? [] : [makespanNs(trace, allRows(trace))],
      recordedWallNs: [],
      plainWallNs: [],
      representative: 0,
    },
    verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
    notes: [
      ...notes(trace, header, leftOut, incomplete),
      ...(behind === null ? [] : [`Left out is what lies behind the trace: ${behind}`]),
    ],
  };
  return { info, trace };
}

const year2000Us = 946_684_800_000_000;
const year2200Us = 7_258_118_400_000_000;

/** By the file's clock, or by the file's date where that clock counts from the machine's start. */
function startedAt({ baseTimeNs }: Header, { startUs }: ReadTrace, { modifiedAt }: ImportOptions): Date {
  const us = Number(baseTimeNs / 1000n) + startUs;
  return us > year2000Us && us < year2200Us ? new Date(us / 1000) : modifiedAt;
}

function notes(trace: Trace, { rank }: Header, leftOut: ReturnType<ReadFile['rows']['leftOut']>, incomplete: number) {
  const has = (kind: string): boolean => trace.lanes.some((lane) => lane.kind === kind);
  return [
    ...(rank === null ? [] : [`Rank ${rank.rank} of a job of ${rank.of}.`]),
    ...(has('stream') ? [] : ['No GPU activity was recorded: profile with ProfilerActivity.CUDA.']),
    ...(has('host-thread') ? [] : ['No host thread was recorded: profile with ProfilerActivity.CPU.']),
    orders(trace),
    'It does not say which copy engine moved a copy: copies are shown on the engine of their direction, copies within the device on Compute.',
    'Data was not checked, and the same work was not timed without the profiler.',
    ...(incomplete === 0 ? [] : [`${incomplete} events have no usable time or place and are left out.`]),
    ...(leftOut.length === 0 ? [] : [`Not shown: ${leftOutWords(leftOut)}.`]),
  ];
}

/** What of the order between streams the trace tells. */
function orders({ names, columns, count }: Trace): string {
  const unknown = names.indexOf(unknownEvent);
  const untold = unknown >= 0 && columns.name.subarray(0, count).includes(unknown);
  const events = untold
    ? 'Of some waits for events this trace does not say for which: where nothing else explains why work began when it did, they are named.'
    : 'This trace tells the waits of streams for events only where the profiler recorded them.';
  return `${events} No profiler trace says which streams are blocking or which buffers an operation touches: an order by the legacy default stream, and the need for data, are not told from it.`;
}

const mostCategories = 8;

function leftOutWords(leftOut: ReturnType<ReadFile['rows']['leftOut']>): string {
  const words = leftOut.slice(0, mostCategories).map(([category, count]) => `${count} ${category.slice(0, 60)}`);
  const rest = leftOut.slice(mostCategories).reduce((sum, [, count]) => sum + count, 0);
  return [...words, ...(rest === 0 ? [] : [`${rest} others`])].join(', ');
}
