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
  /** Event behind each copy that the host waits for; null if it waits for the stream or the copies block. */
  readonly event: string | null;
  readonly copies: readonly OperationOf<'copy'>[];
}

export function doubleStaging(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const [first, ...others] = stagesOf(experiment);
  if (first === undefined) return null;
  const { loop } = first;
  // Several of one list take turns together.
  const all = [first, ...others.filter((one) => one.list === first.list && one.event === first.event)];
  const event = first.event ?? edit.declare('events', 'staged', { timing: false });
  const copies = new Set<Operation>(all.flatMap((one) => one.copies));
  const list = first.event === null ? withEvents(first.list, copies, event) : first.list;
  const isDoubled = loop !== null && roundsIn(list, first.buffer, event).count % 2 === 1;
  const names = new Map([[event, edit.declare('events', event, { timing: false })]]);
  for (const { buffer } of all) {
    const { id: _, ...fields } = experiment.buffers.find(({ id }) => id === buffer) as { readonly id: string };
    names.set(buffer, edit.declare('buffers', buffer, fields));
  }
  const body = isDoubled ? twice(list) : list;
  const { round } = roundsIn(body, first.buffer, event);
  const inTurn = body.map((one, at) => ((round[at] ?? 0) % 2 === 1 ? renamed(one, names) : one));
  put(edit, { ...first, list }, inTurn, isDoubled);
  const buffers = namesOf(all.map(({ buffer }) => buffer));
  return edit.step(`Fill two buffers in turn for ${buffers}: the host fills one while the other is copied.`).change;
}

/** Lets the host wait for events behind these copies where it now waits for the stream, or the copies block. */
function withEvents(list: readonly Operation[], copies: ReadonlySet<Operation>, event: string): Operation[] {
  const wait = { op: 'synchronizeEvent', event };
  const made = list.flatMap((one): object[] => {
    if (one.op.startsWith('synchronize')) return [wait];
    if (one.op !== 'copy' || !copies.has(one)) return [one];
    const record = { op: 'recordEvent', event, stream: one.stream };
    return one.mode === 'async' ? [one, record] : [{ ...one, mode: 'async' }, record, wait];
  });
  return made as Operation[];
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
  const memory = new Map(experiment.buffers.map((one) => [one.id, one.allocated === 'before-run' ? one.memory : null]));
  const isHost = (id: string): boolean => isHostMemory(memory.get(id) ?? 'device');
  if (!isHost(buffer) || memory.get(buffer) === 'pageable') return null;
  const own = new Set(list);
  const isCopy = (one: Operation): one is OperationOf<'copy'> =>
    one.op === 'copy' && one.mode !== 'blocking-memcpy' && one.src === buffer;
  const users = usersById(experiment).get(buffer) ?? [];
  const copies = users.filter(isCopy);
  const isUse = (one: Operation): boolean => own.has(one) && !isMoving(one) && (isFill(one) || isCopy(one));
  if (copies.length === 0 || !users.every(isUse)) return null;
  const waits = list.filter(({ op }) => op.startsWith('synchronize'));
  const event =
    waits
      .flatMap((one) => (one.op === 'synchronizeEvent' ? [one.event] : []))
      .find((id) => {
        const all = usersById(experiment).get(id) ?? [];
        return all.every((one) => own.has(one)) && copies.every((copy) => isRecordedBehind(list, copy, id));
      }) ?? null;
  // The host may use what downloads bring by its waits.
  const ofCopies = (one: Operation): boolean =>
    one.op === 'synchronizeStream' && copies.every(({ stream }) => stream === one.stream);
  const isPlain = waits.every(ofCopies) && !list.some((one) => 'dst' in one && isHost(one.dst));
  const isBlocking = copies.every(({ mode }) => mode !== 'async');
  if (event === null && !(isPlain && (waits.length > 0 || isBlocking))) return null;
  const { count } = roundsIn(list, buffer, event ?? '');
  return count * (loop?.count ?? 1) < fewestRounds ? null : { list, loop, path, buffer, event, copies };
}

/** Returns whether the copy's stream records the event before its next copy. */
function isRecordedBehind(list: readonly Operation[], copy: OperationOf<'copy'>, event: string): boolean {
  const behind = list.slice(list.indexOf(copy) + 1);
  const next = behind.find((one) => one.op === 'copy' && one.src === copy.src);
  const record = behind.find((one) => one.op === 'recordEvent' && one.event === event && one.stream === copy.stream);
  return record !== undefined && (next === undefined || behind.indexOf(record) < behind.indexOf(next));
}

interface Rounds {
  /** Round of each operation. */
  readonly round: readonly number[];
  readonly count: number;
}

/** A round begins with the wait for the copy, or with the first write without one. */
function roundsIn(list: readonly Operation[], buffer: string, event: string): Rounds {
  let [now, count, isCopied] = [0, 0, false];
  const round = list.map((one) => {
    const begins = one.op === 'synchronizeEvent' ? one.event === event : isFill(one) && writes(one, buffer);
    if (begins && isCopied) [now, isCopied] = [now + 1, false];
    if (one.op === 'copy' && one.src === buffer && !isCopied) [count, isCopied] = [count + 1, true];
    return now;
  });
  return { round, count };
}

const writes = (one: Operation, buffer: string): boolean => touchedBuffers(one)?.writes.includes(buffer) === true;

export function renamed(one: Operation, names: ReadonlyMap<string, string>): Operation {
  const fields = Object.entries(one).map(([field, value]) => [
    field,
    ['src', 'dst', 'buffer', 'event'].includes(field) ? (names.get(value as string) ?? value) : value,
  ]);
  return Object.fromEntries(fields) as Operation;
}
