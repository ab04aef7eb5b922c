/** Opens run files away from the window's thread: reads, decodes, checks and indexes them, and transfers the memory. */
import '../../common/zodSetup.ts';
import { laneCounters } from '../../../core/explain/figures/laneCounters.ts';
import { summarizeLazily } from '../../../core/explain/summary/summary.ts';
import { windowSummary } from '../../../core/explain/summary/windowSummary.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { CommonColumn, TraceColumns } from '../../../core/trace/trace.ts';
import { handingOver, serveCalls } from '../../common/workerCalls.ts';
import { buffersOf, counterBuffers, indexIteration } from './iterationData.ts';
import { isDetailed, mostDetailedRows, type OpenCalls, type RunAnalysis } from './loadedRun.ts';
import { readRunFile } from './readRunFile.ts';

/** Analyses of opened large runs, until the window asks for them. */
const analyses = new Map<number, () => RunAnalysis>();
let tickets = 0;

const calls: OpenCalls = {
  async open(file) {
    const decoded = decodeRun(await readRunFile(file));
    const iteration = indexIteration(decoded.trace, decoded.info.iterations.representative);
    if (isDetailed(iteration.rows)) {
      const memory = [...buffersOf(iteration), ...columnBuffers(decoded.trace.columns)];
      return handingOver({ run: decoded, iteration, ticket: null }, memory);
    }
    const run = crossOriginIsolated ? shared(decoded) : decoded;
    const isShared = run !== decoded;
    // Transferred memory is gone here, so a run that can't be shared is analysed first.
    const early = isShared ? null : analyse(run);
    tickets += 1;
    analyses.set(tickets, () => early ?? analyse(run));
    const memory = [...buffersOf(iteration), ...(isShared ? [] : columnBuffers(run.trace.columns))];
    return handingOver({ run, iteration, ticket: tickets }, memory);
  },
  analysis(ticket) {
    const made = analyses.get(ticket)?.();
    if (made === undefined) throw new RangeError(`no run was opened as ${ticket}`);
    analyses.delete(ticket);
    return handingOver(made, counterBuffers(made.counters));
  },
};

serveCalls(calls);

const analyse = (run: Run): RunAnalysis => ({
  summary: windowSummary(summarizeLazily(run, { mostOperations: mostDetailedRows })),
  counters: laneCounters(run, run.info.iterations.representative),
});

/** Returns the run with its columns in shared memory, and frees the file's own memory. */
function shared(run: Run): Run {
  const entries = Object.entries(run.trace.columns).map(([name, column]: [string, TraceColumns[CommonColumn]]) => {
    const memory = new SharedArrayBuffer(column.byteLength);
    const Column = column.constructor as new (memory: SharedArrayBuffer) => typeof column;
    const copy = new Column(memory);
    copy.set(column);
    return [name, copy];
  });
  return { ...run, trace: { ...run.trace, columns: Object.fromEntries(entries) as TraceColumns } };
}

function columnBuffers(columns: TraceColumns): ArrayBuffer[] {
  const buffers = Object.values(columns).map((column: ArrayBufferView) => column.buffer);
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}
