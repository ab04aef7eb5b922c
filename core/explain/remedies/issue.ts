/** Changes to when, how and by which host thread work is issued. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { capturedWork, executedWork } from '../../program/captures.ts';
import type { OperationInfo } from '../../program/program.ts';
import { valueAtPath } from '../../shape/path.ts';
import { shareData, touchedBuffers } from '../verdicts/facts.ts';
import { find, isPlace, listOf, type Place, places, type Situation } from './situation.ts';

/** Makes a blocking copy that blocks the host asynchronous. */
export function asynchronous(situation: Situation): Change | null {
  const { verdict, experiment } = situation;
  const holder = find(situation, verdict.blockedBy ?? verdict.op, 'copy');
  if (holder === null || holder.operation.mode === 'async') return null;
  const edit = new ChangeBuilder(experiment).step(`Make "${holder.info.label}" asynchronous.`);
  return edit.replace([...holder.info.path, 'mode'], 'async').change;
}

/**
 * Issues `op` before `before`, or before the group with it, within one list of one host thread, so that `op` runs as
 * often as now. Returns null if `op` shares data with anything that it would pass.
 */
export function moveBefore(situation: Situation, op: number, before: number | null): Change | null {
  const { experiment, program } = situation;
  const [moved, place] = [program.operations[op], before === null ? undefined : program.operations[before]];
  if (moved === undefined || place === undefined) return null;
  const list = moved.path.slice(0, -1);
  const target = place.path.slice(0, moved.path.length);
  const isOneList = target.length === moved.path.length && list.every((step, index) => step === target[index]);
  if (!isOneList || Number(moved.path.at(-1)) <= Number(target.at(-1))) return null;
  const operation = valueAtPath(experiment, moved.path) as Operation;
  if (sharesData(situation, moved, target)) return null;
  return new ChangeBuilder(experiment)
    .step(`Issue "${moved.label}" before "${nameOf(situationLabel(program, target), place.label)}".`)
    .before(target, operation)
    .remove(moved.path).change;
}

/** Returns whether `moved` shares data with operations from `target` up to it, or in a graph launched there. */
function sharesData({ experiment, program }: Situation, moved: OperationInfo, target: DocumentPath): boolean {
  const depth = target.length - 1;
  const isPassed = (op: number): boolean => {
    const path = program.operations[op]?.path ?? [];
    const place = Number(path[depth]);
    const isInList = target.slice(0, -1).every((step, index) => step === path[index]);
    return isInList && place >= Number(target[depth]) && place < Number(moved.path[depth]);
  };
  const thread = program.threads[moved.thread];
  if (thread === undefined) return false;
  const passed = { ...thread, instructions: thread.instructions.filter(({ op }) => isPassed(op)) };
  const operation = (op: number): Operation => valueAtPath(experiment, program.operations[op]?.path ?? []) as Operation;
  return executedWork(passed, capturedWork(program.threads)).some(
    ({ op }) => shareData(operation(op), operation(moved.op)) === true,
  );
}

const situationLabel = ({ operations }: Situation['program'], path: DocumentPath): string | undefined =>
  operations.find((info) => info.path.length === path.length && info.path.every((step, index) => step === path[index]))
    ?.label;

const nameOf = (label: string | undefined, otherwise: string): string => label ?? otherwise;

/** Moves a copy that the calling thread does itself to a new host thread. */
export function otherThread(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  // Inside a group, the copy would then run once instead of as often as the group.
  if (copy === null || copy.info.path.length !== 4) return null;
  const edit = new ChangeBuilder(experiment).remove(copy.info.path);
  const device = experiment.threads[copy.info.thread]?.device;
  const fields = { operations: [copy.operation], ...(device === undefined ? {} : { device }) };
  const thread = edit.declare('threads', 'copier', fields);
  return edit.step(`Let a host thread of its own, "${thread}", do "${copy.info.label}".`).change;
}

/** Turns off CUDA_LAUNCH_BLOCKING. */
export const withoutLaunchBlocking = ({ experiment }: Situation): Change | null =>
  experiment.environment.launchBlocking
    ? new ChangeBuilder(experiment).step('Turn launch blocking off.').replace(['environment', 'launchBlocking'], false)
        .change
    : null;

/** A run of copies that another stream's copies come behind in the copy engine. */
interface Ahead {
  readonly run: readonly Place<OperationOf<'copy'>>[];
  /** Waits of the host behind them that none of them has to come before. */
  readonly waits: readonly Place[];
  /** Copies of other streams in the same direction until the last of these waits. */
  readonly behind: readonly Place<OperationOf<'copy'>>[];
}

/** Returns the runs of copies that may be issued later than copies of other streams behind them. */
export function copiesAhead(experiment: Experiment): Ahead[] {
  const memories = new Map(experiment.buffers.map(({ id, memory }) => [id, memory]));
  const directionOf = ({ operation: { src, dst } }: Place<OperationOf<'copy'>>): string =>
    [src, dst].map((id) => (memories.get(id) === 'device' ? 'device' : 'host')).join();
  return [...groupBy(places(experiment), listOf).values()].flatMap((list) => {
    const found: Ahead[] = [];
    for (let at = 0; at < list.length; at += 1) {
      const run: Place<OperationOf<'copy'>>[] = [];
      for (let one = list[at]; one !== undefined && isPlace('copy')(one); one = list[at + run.length]) {
        if (one.operation.mode !== 'async' || one.operation.stream !== (run[0] ?? one).operation.stream) break;
        run.push(one);
      }
      const [first] = run;
      if (first === undefined) continue;
      const { stream } = first.operation;
      const used = new Set(run.flatMap(({ operation: { src, dst } }) => [src, dst]));
      const from = at + run.length;
      const stops = ({ operation: one }: Place): boolean => {
        const touched = touchedBuffers(one);
        if ('operations' in one || one.op === 'synchronizeDevice' || ('stream' in one && one.stream === stream))
          return true;
        return touched !== null && [...touched.reads, ...touched.writes].some((id) => used.has(id));
      };
      let end = from;
      while (list[end] !== undefined && !stops(list[end] as Place)) end += 1;
      const window = list.slice(from, end);
      const waits = window.filter(({ operation: { op } }) => op.startsWith('synchronize') || op === 'item');
      const last = window.indexOf(waits.at(-1) as Place);
      const behind = window.slice(0, Math.max(0, last)).filter(isPlace('copy'));
      const alike = behind.filter((one) => directionOf(one) === directionOf(first));
      if (alike.length > 0) found.push({ run, waits, behind: alike });
      at = from + Math.max(0, last) - 1;
    }
    return found;
  });
}

/** Issues a run of copies in parts, each behind what the host awaits next, so that awaited copies don't queue behind all. */
export function issuedBetween(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  for (const { run, waits } of copiesAhead(experiment)) {
    for (const [index, { operation, path }] of run.entries()) {
      const wait = waits[Math.floor((index * waits.length) / run.length)];
      if (wait !== undefined) edit.before(wait.path, operation).remove(path);
    }
    const { stream } = (run[0] as Place<OperationOf<'copy'>>).operation;
    const copies = run.length === 1 ? 'the copy' : `the ${run.length} copies`;
    edit.step(`Issue ${copies} of stream "${stream}" after the copy that the host waits for next, not before.`);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}
