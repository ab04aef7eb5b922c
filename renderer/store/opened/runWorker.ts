/** Opens run files away from the window's thread: reads, decodes, validates and indexes, and hands the memory over. */
import '../../common/zodSetup.ts';
import { toErrorInfo } from '../../../core/errors.ts';
import { laneCounters } from '../../../core/figures/laneCounters.ts';
import { summarizeLazily } from '../../../core/summary/summary.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { TraceColumns } from '../../../core/trace/trace.ts';
import { buffersOf, counterBuffers, indexIteration } from './iterationData.ts';
import { mostDetailedRows, type OpenAnswer, type OpenRequest, type RunAnalysis } from './messages.ts';
import { readRunFile } from './readRunFile.ts';
import { windowSummary } from './windowSummary.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  readonly crossOriginIsolated: boolean;
  onmessage: ((event: MessageEvent<OpenRequest>) => void) | null;
  postMessage(message: OpenAnswer, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data: { ticket, address } }) => {
  open(ticket, address).catch((thrown: unknown) =>
    scope.postMessage({ kind: 'failed', ticket, error: toErrorInfo(thrown) }),
  );
};

async function open(ticket: number, address: string): Promise<void> {
  const decoded = decodeRun(await readRunFile(address));
  const iteration = indexIteration(decoded.trace, decoded.info.iterations.representative);
  const isLarge = iteration.rows.to - iteration.rows.from > mostDetailedRows;
  const run = isLarge && scope.crossOriginIsolated ? shared(decoded) : decoded;
  const isShared = run !== decoded;
  // What is transferred is gone here, so a run that can't be shared is analysed first.
  const early = isLarge && !isShared ? analyse(run) : null;
  const analysis = isLarge ? 'later' : 'here';
  const transfer = [...buffersOf(iteration), ...(isShared ? [] : columnBuffers(run.trace.columns))];
  scope.postMessage({ kind: 'opened', ticket, run, iteration, analysis }, transfer);
  if (!isLarge) return;
  const made = early ?? analyse(run);
  scope.postMessage({ kind: 'summarized', ticket, ...made }, counterBuffers(made.counters));
}

const analyse = (run: Run): RunAnalysis => ({
  summary: windowSummary(summarizeLazily(run, { mostOperations: mostDetailedRows })),
  counters: laneCounters(run, run.info.iterations.representative),
});

/** The run with its columns in memory that two threads can read. The file's own memory is let go. */
function shared(run: Run): Run {
  const entries = Object.entries(run.trace.columns).map(
    ([name, column]: [string, TraceColumns[keyof TraceColumns]]) => {
      const memory = new SharedArrayBuffer(column.byteLength);
      const Column = column.constructor as new (memory: SharedArrayBuffer) => typeof column;
      const copy = new Column(memory);
      copy.set(column);
      return [name, copy];
    },
  );
  return { ...run, trace: { ...run.trace, columns: Object.fromEntries(entries) as TraceColumns } };
}

function columnBuffers(columns: TraceColumns): ArrayBuffer[] {
  const buffers = Object.values(columns).map((column: ArrayBufferView) => column.buffer);
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}
