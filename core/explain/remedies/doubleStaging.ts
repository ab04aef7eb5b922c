/** Lets the host fill two page-locked buffers in turn, if it now waits for each copy from its only one before it fills that again. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { steps } from '../../program/unroll.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { type List, listsOf, put, twice } from './doubleBuffer.ts';
import { namesOf, usersById } from './situation.ts';

/** With fewer, the second buffer is used once at most. */
const fewestRounds = 3;

interface Stage extends List {
  readonly buffer: string;
  /** Event behind each copy that the host waits for. */
  readonly event: string;
  readonly copies: readonly OperationOf<'copy'>[];
  /** Number of times that the list fills the buffer. */
  readonly rounds: number;
}

export function doubleStaging(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const [first, ...others] = stagesOf(experiment);
  if (first === undefined) return null;
  // Several of one list take turns together.
  const all = [first, ...others.filter((one) => one.list === first.list && one.rounds === first.rounds)];
  const { list, loop, rounds } = first;
  const isDoubled = loop !== null && rounds % 2 === 1;
  let body = isDoubled ? twice(list) : list;
  for (const { buffer, event } of all) {
    const { id: _, ...fields } = experiment.buffers.find(({ id }) => id === buffer) as { readonly id: string };
    const second = new Map([[buffer, edit.declare('buffers', buffer, fields)]]);
    second.set(event, edit.declare('events', event, { timing: false }));
    const round = roundsIn(body, buffer, event);
    body = body.map((one, at) => ((round[at] ?? 0) % 2 === 1 ? renamed(one, second) : one));
  }
  put(edit, first, body, isDoubled);
  const names = namesOf(all.map(({ buffer }) => buffer));
  return edit.step(`Fill two buffers in turn for ${names}: the host fills one while the other is copied.`).change;
}

/** Returns page-locked buffers that the host fills round after round, and waits for their copy in between. */
export function stagesOf(experiment: Experiment): Stage[] {
  return listsOf(experiment).flatMap((own) => {
    const filled = new Set(own.list.flatMap((one) => (isFill(one) ? (touchedBuffers(one)?.writes ?? []) : [])));
    return [...filled].flatMap((buffer) => stageOf(experiment, own, buffer) ?? []);
  });
}

/** Returns whether each round of a loop uses another part of the buffer. */
const isMoving = (one: Operation): boolean => steps.some(([step]) => step in one);

const isFill = ({ op }: Operation): boolean => op === 'write' || op === 'pin';

function stageOf(experiment: Experiment, { list, loop, path }: List, buffer: string): Stage | null {
  const { memory, allocated } = experiment.buffers.find(({ id }) => id === buffer) ?? {};
  if (memory === undefined || !isHostMemory(memory) || memory === 'pageable' || allocated !== 'before-run') return null;
  const own = new Set(list);
  const isCopy = (one: Operation): one is OperationOf<'copy'> =>
    one.op === 'copy' && one.mode === 'async' && one.src === buffer;
  const users = usersById(experiment).get(buffer) ?? [];
  const copies = users.filter(isCopy);
  const isUse = (one: Operation): boolean => own.has(one) && !isMoving(one) && (isFill(one) || isCopy(one));
  if (copies.length === 0 || !users.every(isUse)) return null;
  const waited = list.flatMap((one) => (one.op === 'synchronizeEvent' ? [one.event] : []));
  const event = waited.find((id) => {
    const all = usersById(experiment).get(id) ?? [];
    return all.every((one) => own.has(one)) && copies.every((copy) => isRecordedBehind(list, copy, id));
  });
  if (event === undefined) return null;
  const rounds = new Set(roundsIn(list, buffer, event)).size;
  return rounds * (loop?.count ?? 1) < fewestRounds ? null : { list, loop, path, buffer, event, copies, rounds };
}

/** Returns whether the copy's stream records the event before its next copy. */
function isRecordedBehind(list: readonly Operation[], copy: OperationOf<'copy'>, event: string): boolean {
  const behind = list.slice(list.indexOf(copy) + 1);
  const next = behind.find((one) => one.op === 'copy' && one.src === copy.src);
  const record = behind.find((one) => one.op === 'recordEvent' && one.event === event && one.stream === copy.stream);
  return record !== undefined && (next === undefined || behind.indexOf(record) < behind.indexOf(next));
}

/** Returns the round of each operation. One begins with the wait for the copy, or with the first write without one. */
function roundsIn(list: readonly Operation[], buffer: string, event: string): number[] {
  let [round, isCopied] = [0, false];
  return list.map((one) => {
    const begins = one.op === 'synchronizeEvent' ? one.event === event : isFill(one) && writes(one, buffer);
    if (begins && isCopied) [round, isCopied] = [round + 1, false];
    if (one.op === 'copy' && one.src === buffer) isCopied = true;
    return round;
  });
}

const writes = (one: Operation, buffer: string): boolean => touchedBuffers(one)?.writes.includes(buffer) === true;

function renamed(one: Operation, names: ReadonlyMap<string, string>): Operation {
  const fields = Object.entries(one).map(([field, value]) => [
    field,
    ['src', 'dst', 'buffer', 'event'].includes(field) ? (names.get(value as string) ?? value) : value,
  ]);
  return Object.fromEntries(fields) as Operation;
}
