/** Lets copies fill two buffers in turn, if each copy now waits until the data before it in its only buffer was used. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { bufferFinder } from '../../experiment/describe.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { copyBytes } from '../../experiment/operations/copy.ts';
import { newCopies, type Operation, type OperationOf } from '../../experiment/operations.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { moved } from './ahead.ts';
import { namesOf, usersById } from './situation.ts';

/** With fewer, the second buffer is used once at most. */
const fewestFills = 3;

/** The operations of a thread, or of a loop in it. */
export interface List {
  readonly list: readonly Operation[];
  readonly path: DocumentPath;
  readonly loop: OperationOf<'repeat'> | null;
}

/** Returns the list of each thread, and those of its loops. */
export const listsOf = ({ threads }: Experiment): List[] =>
  threads.flatMap(({ operations }, thread) => {
    const path = ['threads', thread, 'operations'];
    const loops = operations.flatMap((one, index): List[] =>
      one.op === 'repeat' ? [{ list: one.operations, path: [...path, index, 'operations'], loop: one }] : [],
    );
    return [{ list: operations, path, loop: null }, ...loops];
  });

/** Returns the operations of two rounds. */
export const twice = (list: readonly Operation[]): readonly Operation[] => [
  ...list.map((one) => moved(one, 0, 2)),
  ...(newCopies(list.map((one) => moved(one, 1, 2))) as unknown[] as Operation[]),
];

/** Replaces a list. If `isDoubled`, a loop now has two of its rounds in each, and an odd one comes behind. */
export function put(
  edit: ChangeBuilder,
  { list, path, loop }: List,
  body: readonly Operation[],
  isDoubled: boolean,
): void {
  edit.replace(path, body);
  if (loop === null || !isDoubled) return;
  const around = path.slice(0, -1);
  edit.replace([...around, 'count'], Math.floor(loop.count / 2));
  if (loop.count % 2 === 0) return;
  const rest = body.slice(0, list.length).map((one) => moved(one, Math.floor(loop.count / 2), 2));
  for (const one of newCopies(rest).reverse()) edit.after(around, one);
}

/** `only` limits this to where this buffer is doubled. */
export function doubleBuffer(experiment: Experiment, only?: string): Change | null {
  const edit = new ChangeBuilder(experiment);
  const doubled: string[] = [];
  const changed = new Set<unknown>();
  for (const own of listsOf(experiment)) {
    const { list, path, loop } = own;
    // The list of the thread contains its loops.
    if (changed.has(path[1])) continue;
    const slots = slotsIn(experiment, list, loop);
    const guards = guardsIn(experiment, list, slots);
    const [first] = slots.keys();
    if (first === undefined || guards.size === 0 || (only !== undefined && !slots.has(only))) continue;
    doubled.push(...slots.keys());
    const body = loop === null ? list : twice(list);
    const names = new Map<string, string>();
    for (const [kind, ids] of [
      ['buffers', slots.keys()],
      ['events', guards],
    ] as const) {
      for (const id of ids) {
        const { id: _, ...fields } = experiment[kind].find((one) => one.id === id) as { readonly id: string };
        names.set(id, edit.declare(kind, id, fields));
      }
    }
    const inTurn = alternated(body, { slots, guards, names, isLoop: loop !== null });
    put(edit, own, inTurn, loop !== null);
    if (loop === null) changed.add(path[1]);
  }
  if (doubled.length === 0) return null;
  return edit.step(`Fill two buffers in turn for ${namesOf(doubled)}: one is filled while the other is used.`).change;
}

/** Returns the only buffer that copies fill, by the id of each such copy, if two in turn would keep it from waiting. */
export const filledAlone = (experiment: Experiment): ReadonlyMap<string, string> =>
  new Map(
    listsOf(experiment).flatMap(({ list, loop }) => {
      const slots = slotsIn(experiment, list, loop);
      if (slots.size !== 1 || guardsIn(experiment, list, slots).size === 0) return [];
      return [...slots].flatMap(([slot, fills]) => fills.map(({ id }) => [id, slot] as const));
    }),
  );

type Slots = ReadonlyMap<string, readonly OperationOf<'copy'>[]>;

/** Returns device buffers that uploads of this list fill, all of the same bytes, and the fills of each. */
function slotsIn(experiment: Experiment, list: readonly Operation[], loop: OperationOf<'repeat'> | null): Slots {
  const memories = new Map(experiment.buffers.map((buffer) => [buffer.id, buffer]));
  const found = new Map<string, OperationOf<'copy'>[]>();
  for (const one of list) {
    if (one.op !== 'copy' || one.mode !== 'async' || one.dstStepBytes !== undefined) continue;
    const { memory, allocated } = memories.get(one.dst) ?? {};
    if (memory !== 'device' || allocated !== 'before-run') continue;
    if (isHostMemory(memories.get(one.src)?.memory ?? 'device'))
      found.set(one.dst, [...(found.get(one.dst) ?? []), one]);
  }
  const own = new Set(list);
  let alike: OperationOf<'copy'>[] | null = null;
  for (const [slot, fills] of found) {
    const [fill] = fills as [OperationOf<'copy'>];
    const isAlike = (one: OperationOf<'copy'>): boolean =>
      (['dstOffset', 'bytes', 'stream'] as const).every((field) => one[field] === fill[field]);
    const isOften = loop === null ? fills.length >= fewestFills : fills.length === 1 && loop.count >= fewestFills;
    const isSame = alike === null || (alike.length === fills.length && alike[0]?.stream === fill.stream);
    if (isOften && isSame && fills.every(isAlike) && isUsedBetween(experiment, own, slot, fills)) alike ??= fills;
    else found.delete(slot);
  }
  return found;
}

/**
 * Returns whether only these fills write the slot, and only operations of this list behind the first one use it. If each fills all
 * of the slot, others may write it as well.
 */
function isUsedBetween(
  experiment: Experiment,
  own: ReadonlySet<Operation>,
  slot: string,
  fills: readonly OperationOf<'copy'>[],
): boolean {
  const find = bufferFinder(experiment);
  const bytes = bufferBytes(find(slot) as Experiment['buffers'][number]);
  const isWhole = fills.every((fill) => fill.dstOffset === 0 && copyBytes(fill, find) === bytes);
  const users = usersById(experiment).get(slot) ?? [];
  if (users[0] !== fills[0] || !users.every((one) => own.has(one))) return false;
  return users.every((one) => {
    const touched = touchedBuffers(one);
    return one.op === 'copy' && fills.includes(one)
      ? true
      : touched !== null && (isWhole || !touched.writes.includes(slot));
  });
}

/** Returns events that the fills' stream waits for, and that other streams record after they used a slot. */
function guardsIn(experiment: Experiment, list: readonly Operation[], slots: Slots): Set<string> {
  const own = new Set(list);
  const filling = [...slots.values()][0]?.[0]?.stream;
  const [guards, using] = [new Set<string>(), new Set<string>()];
  for (const one of list) {
    if (!('stream' in one) || one.stream === filling) continue;
    if (touchedBuffers(one)?.reads.some((id) => slots.has(id)) === true) using.add(one.stream);
    if (one.op !== 'recordEvent' || !using.has(one.stream) || guards.has(one.event)) continue;
    const users = usersById(experiment).get(one.event) ?? [];
    const isGuard = ({ op, ...user }: Operation): boolean =>
      'stream' in user && user.stream === (op === 'waitEvent' ? filling : op === 'recordEvent' ? one.stream : null);
    const isWaited = users.some(({ op }) => op === 'waitEvent');
    if (isWaited && users.every((user) => own.has(user) && isGuard(user))) guards.add(one.event);
  }
  return guards;
}

interface Alternation {
  readonly slots: Slots;
  readonly guards: ReadonlySet<string>;
  /** Second buffer or event of each. */
  readonly names: ReadonlyMap<string, string>;
  readonly isLoop: boolean;
}

/** Gives every second fill, and what uses its data, the second buffer. A fill waits for the use two fills before. */
function alternated(list: readonly Operation[], { slots, guards, names: second, isLoop }: Alternation): Operation[] {
  const fills = new Map([...slots.keys()].map((slot) => [slot, -1]));
  const [main] = slots.keys();
  return list.flatMap((one) => {
    if (one.op === 'copy' && fills.has(one.dst)) fills.set(one.dst, (fills.get(one.dst) ?? 0) + 1);
    const fill = fills.get(main ?? '') ?? 0;
    if ((one.op === 'waitEvent' || one.op === 'recordEvent') && guards.has(one.event)) {
      const of = one.op === 'waitEvent' ? fill + 1 : fill;
      // The second buffer is empty.
      if (one.op === 'waitEvent' && of === 1 && !isLoop) return [];
      return [of % 2 === 1 ? { ...one, event: second.get(one.event) ?? one.event } : one];
    }
    const isOther = (id: unknown): id is string => typeof id === 'string' && (fills.get(id) ?? 0) % 2 === 1;
    const renamed = (id: unknown): unknown => (isOther(id) ? second.get(id) : id);
    const fields = Object.entries(one).map(([field, value]) => {
      if (field === 'src' || field === 'dst' || field === 'buffer') return [field, renamed(value)];
      return [field, (field === 'reads' || field === 'writes') && Array.isArray(value) ? value.map(renamed) : value];
    });
    return [Object.fromEntries(fields) as Operation];
  });
}
