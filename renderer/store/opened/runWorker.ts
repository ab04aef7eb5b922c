/** Opens run files away from the window's thread: reads, decodes, checks and indexes them, and transfers the memory. */
import '../../common/zodSetup.ts';
import { laneCounters } from '../../../core/explain/figures/laneCounters.ts';
import { summarizeInSteps } from '../../../core/explain/summary/summary.ts';
import { costliest, windowSummary } from '../../../core/explain/summary/windowSummary.ts';
import { verdictOf } from '../../../core/explain/verdicts/verdicts.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { CommonColumn, TraceColumns } from '../../../core/trace/trace.ts';
import { handingOver, serveCalls } from '../../common/workerCalls.ts';
import { buffersOf, counterBuffers, indexIteration } from './iterationData.ts';
import { isDetailed, mostJudgedRows, type OpenCalls, type OpenEvents, type RunAnalysis } from './loadedRun.ts';
import { readRunFile } from './readRunFile.ts';

/** Analyses of opened large runs, until the window asks for them. */
const analyses = new Map<number, () => RunAnalysis>();
let tickets = 0;

/** The runs that were analysed last, for verdicts on single copies. Their columns are shared with the window. */
const judged = new Map<number, Run>();
const mostJudgedRuns = 3;

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
    tickets += 1;
    const ticket = tickets;
    const early = isShared ? null : analyse(ticket, run);
    analyses.set(ticket, () => early ?? analyse(ticket, run));
    const memory = [...buffersOf(iteration), ...(isShared ? [] : columnBuffers(run.trace.columns))];
    return handingOver({ run, iteration, ticket }, memory);
  },
  analysis(ticket) {
    const made = analyses.get(ticket)?.();
    if (made === undefined) throw new RangeError(`no run was opened as ${ticket}`);
    analyses.delete(ticket);
    return handingOver(made, counterBuffers(made.counters));
  },
  verdict(ticket, row) {
    const run = judged.get(ticket);
    if (run === undefined) return null;
    const iteration = iterationOf(run.trace, run.info.iterations.representative);
    return verdictOf(iteration, run.info.experiment, row, { device: run.info.device });
  },
};

const events = serveCalls<OpenEvents>(calls);

function analyse(ticket: number, run: Run): RunAnalysis {
  const steps = summarizeInSteps(run, { mostOperations: mostJudgedRows });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    if (typeof step.value === 'number') void events.judged.asEvent(ticket, step.value);
  }
  const summary = windowSummary(step.value);
  // The window gets columns that can't be shared.
  judged.set(ticket, crossOriginIsolated ? run : structuredClone(run));
  for (const old of judged.keys()) if (judged.size > mostJudgedRuns) judged.delete(old);
  return {
    summary: { ...summary, verdicts: costliest(summary.verdicts) },
    counters: laneCounters(run, run.info.iterations.representative),
  };
}

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
