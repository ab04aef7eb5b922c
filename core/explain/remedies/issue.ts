/** Changes to when, how and by which host thread work is issued. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Operation } from '../../experiment/operations.ts';
import { capturedWork, executedWork } from '../../program/captures.ts';
import type { OperationInfo } from '../../program/program.ts';
import { shareData } from '../verdicts/facts.ts';
import { at, find, type Situation } from './situation.ts';

/** Makes a blocking copy that holds the host asynchronous. */
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
  const operation = at(experiment, moved.path) as Operation;
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
  const operation = (op: number): Operation => at(experiment, program.operations[op]?.path ?? []) as Operation;
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
