/** Lets the host prepare the data of the next round in a second buffer, before it waits for the results of this one. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { newCopies, type Operation, type OperationOf } from '../../experiment/operations.ts';
import { valueAtPath } from '../../shape/path.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type IdleWork, isWork, moved, passing, workOf } from './ahead.ts';
import { listsOf } from './doubleBuffer.ts';
import { renamed } from './doubleStaging.ts';
import { usersById } from './situation.ts';

/** A loop that begins with what the host does to fill page-locked memory, and ends with a wait for results. */
interface Preparation {
  readonly path: DocumentPath;
  readonly loop: OperationOf<'repeat'>;
  readonly buffer: string;
  readonly fill: readonly Operation[];
  readonly issue: readonly Operation[];
  readonly rest: readonly Operation[];
}

/** With fewer rounds, the second buffer is used once at most. */
const fewestRounds = 3;

function preparations(experiment: Experiment): Preparation[] {
  const memories = new Map(
    experiment.buffers.map((one) => [one.id, one.allocated === 'before-run' ? one.memory : null]),
  );
  return listsOf(experiment).flatMap(({ list, path, loop }): Preparation[] => {
    const begin = list.findIndex((one) => one.op !== 'work' && one.op !== 'write');
    const end = list.findIndex(({ op }) => op.startsWith('synchronize'));
    const [fill, issue, rest] = [list.slice(0, begin), list.slice(begin, end), list.slice(end)];
    const filled = new Set(fill.flatMap((one) => (one.op === 'write' ? [one.buffer] : [])));
    const [buffer] = filled;
    if (loop === null || loop.count < fewestRounds || filled.size !== 1 || buffer === undefined || end < begin)
      return [];
    const memory = memories.get(buffer);
    const users = usersById(experiment).get(buffer) ?? [];
    const isOwn = users.every(
      (one) => fill.includes(one) || (issue.includes(one) && one.op === 'copy' && one.src === buffer),
    );
    const isIssued = issue.every((one) => passing.has(one.op) && (one.op !== 'copy' || one.mode === 'async'));
    const isRest = rest.slice(1).every(isWork);
    const isHost = memory === 'pinned' || memory === 'registered' || memory === 'pinned-write-combined';
    return isHost && isOwn && isIssued && isRest ? [{ path: path.slice(0, -1), loop, buffer, fill, issue, rest }] : [];
  });
}

/** Lets the host fill a second buffer with the next data before it waits for the results of what it has issued. */
export function prepareAhead(experiment: Experiment): Change | null {
  const [first] = preparations(experiment);
  if (first === undefined) return null;
  const { path, loop, buffer, fill, issue, rest } = first;
  const edit = new ChangeBuilder(experiment);
  const { id: _, ...fields } = experiment.buffers.find(({ id }) => id === buffer) as { readonly id: string };
  const other = edit.declare('buffers', buffer, fields);
  const into = (list: readonly Operation[], round: number): Operation[] =>
    round % 2 === 0 ? [...list] : list.map((one) => renamed(one, new Map([[buffer, other]])));
  const roundOf = (at: number): Operation[] => [...into(issue, at), ...into(fill, at + 1), ...rest];
  const last = loop.count - 1;
  const at = (list: readonly Operation[], round: number): Operation[] =>
    newCopies(list.map((one) => moved(one, round, 0))) as Operation[];
  const pair = [
    ...roundOf(0).map((one) => moved(one, 0, 2)),
    ...(newCopies(roundOf(1).map((one) => moved(one, 1, 2))) as Operation[]),
  ];
  const behind = [
    ...(last % 2 === 1 ? at(roundOf(last - 1), last - 1) : []),
    ...at([...into(issue, last), ...rest], last),
  ];
  const list = valueAtPath(experiment, path.slice(0, -1)) as readonly Operation[];
  const place = Number(path.at(-1));
  const again = { ...loop, count: Math.floor(last / 2), operations: pair };
  edit.replace(path.slice(0, -1), [
    ...list.slice(0, place),
    ...at(fill, 0),
    again,
    ...behind,
    ...list.slice(place + 1),
  ]);
  return edit.step(
    `Prepare the next data in a second "${buffer}" before the host waits for results, if it does not need them.`,
  ).change;
}

/** Returns what the host prepares while the device is idle, by the id of the last download before its wait. */
export function preparedLate(experiment: Experiment): ReadonlyMap<string, IdleWork> {
  const inHostMemory = new Set(experiment.buffers.flatMap(({ id, memory }) => (isHostMemory(memory) ? [id] : [])));
  return new Map(
    preparations(experiment).flatMap(({ loop, fill, issue }): [string, IdleWork][] => {
      const download = issue.findLast((one) => one.op === 'copy' && inHostMemory.has(one.dst));
      const works = fill.flatMap((one) => (one.op === 'work' ? [one] : []));
      return download === undefined ? [] : [[download.id, workOf(works, loop.count)]];
    }),
  );
}
