/** Differences between two programs in words: for the names of runs, and above the differences of their times. */
import { type BufferFinder, bufferFinder, describeOnce } from '../../experiment/describe.ts';
import { operationsOf } from '../../experiment/edit/paths.ts';
import { bytesText, durationText } from '../../experiment/edit/quantities.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { fieldWords, referenceFields, unitOf } from '../../experiment/operations/fields.ts';
import { childOperations, type Operation } from '../../experiment/operations.ts';
import { streamTitle } from '../../experiment/resources.ts';
import { append } from '../../groupBy.ts';
import { matchOperations } from './matching.ts';

/** Differences that are listed; more are counted. */
const mostListed = 8;

/** Returns a line for each difference of `b`, such as 'pinned instead of pageable (source)'; none for equal programs. */
export function programDifferences(a: Experiment, b: Experiment): string[] {
  const all = [...differences(a, b)].map(([text, of]) => (of.length === 0 ? text : `${text} (${listed(of)})`));
  const rest = all.length - mostListed;
  return rest < 2 ? all : [...all.slice(0, mostListed), `${rest} more differences`];
}

/** Returns the differences of `b` in few words: 'pinned instead of pageable, 1 more'. Undefined for equal programs. */
export function changedWords(a: Experiment, b: Experiment): string | undefined {
  const [first, ...rest] = differences(a, b).keys();
  return first === undefined ? first : `${first.slice(0, 250)}${rest.length === 0 ? '' : `, ${rest.length} more`}`;
}

const listed = (names: readonly string[]): string =>
  names.length < 4 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;

/** Returns each difference with the names of what it holds for; without names for the whole program. */
function differences(a: Experiment, b: Experiment): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const note = (text: string, of?: string): void => {
    if (of !== undefined) append(found, text, of);
    else if (!found.has(text)) found.set(text, []);
  };
  const finders = [bufferFinder(a), bufferFinder(b)] as const;
  for (const kind of ['buffers', 'streams', 'events', 'signals', 'devices'] as const) {
    const before = new Map<string, object>(a[kind].map((one) => [one.id, one]));
    for (const one of b[kind]) noteFields(before.get(one.id) ?? one, one, finders, (text) => note(text, one.id));
  }
  noteOperations(a, b, finders, note);
  noteFields(a.environment, b.environment, finders, (text) => note(text));
  return found;
}

type Finders = readonly [BufferFinder, BufferFinder];

function noteOperations(a: Experiment, b: Experiment, finders: Finders, note: (text: string, of?: string) => void) {
  const [before, after] = [operationsOf(a), operationsOf(b)];
  const [placesA, placesB] = [placesOf(a), placesOf(b)];
  const matches = matchOperations(a, b);
  const numbers = [...matches].filter((number) => number >= 0);
  for (const [op, operation] of before.entries()) {
    const number = matches[op] ?? -1;
    const other = after[number];
    if (other === undefined) continue;
    const noteOf = (text: string): void => note(text, describeOnce(other, finders[1]));
    noteFields(withStream(operation, a), withStream(other, b), finders, noteOf);
    if (placesA[op] !== placesB[number]) noteOf(`in ${instead(placesA[op], placesB[number])}`);
  }
  const kept = new Set(numbers);
  const added = after.filter((_, number) => !kept.has(number));
  const removed = before.filter((_, op) => matches[op] === -1);
  for (const text of counted(added, finders[1])) note(`with ${text}`);
  for (const text of counted(removed, finders[0])) note(`without ${text}`);
  if (numbers.some((number, at) => number < (numbers[at - 1] ?? 0))) note('another order of operations');
}

const withStream = (operation: Operation, { environment }: Experiment): object =>
  'stream' in operation ? { ...operation, stream: streamTitle(operation.stream, environment) } : operation;

/** Returns the thread or group that each operation is in. */
const placesOf = ({ threads }: Experiment): string[] => threads.flatMap(({ id, operations }) => inside(operations, id));

const inside = (operations: readonly Operation[], place: string): string[] =>
  operations.flatMap((one) => [place, ...inside(childOperations(one) ?? [], one.id)]);

function counted(operations: readonly Operation[], find: BufferFinder): string[] {
  const counts = new Map<string, number>();
  for (const operation of operations) {
    const name = describeOnce(operation, find);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
}

/** Fields that don't change what a program does, and operations, which are compared by themselves. */
const skipped = new Set(['id', 'label', 'recorded', 'operations', 'iterations', 'warmups']);
/** Fields whose values say what they are. */
const unnamed = new Set(['memory', 'mode', 'kind', 'flags', 'strategy']);

function noteFields(before: object, after: object, finders: Finders, note: (text: string) => void): void {
  if (before === after) return;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const values: readonly unknown[] = [Reflect.get(before, name), Reflect.get(after, name)];
    const [one, other] = values;
    if (skipped.has(name) || JSON.stringify(one) === JSON.stringify(other)) continue;
    const [from, to] = values.map((id, at) => finders[at]?.(String(id))?.memory);
    if (referenceFields.get(name) === 'buffers' && from !== to) note(instead(from, to));
    else if (isPlainObject(one) && isPlainObject(other) && Reflect.get(one, 'kind') === Reflect.get(other, 'kind')) {
      noteFields(one, other, finders, note);
    } else note(`${unnamed.has(name) ? '' : `${fieldWords(name)} `}${instead(one, other, name)}`);
  }
}

const instead = (one: unknown, other: unknown, field = ''): string =>
  `${valueText(other, field)} instead of ${valueText(one, field)}`;

function valueText(value: unknown, field: string): string {
  if (value === undefined) return 'the default';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') {
    const unit = unitOf(field);
    return unit === 'B' ? bytesText(value) : unit === 'ns' ? durationText(value) : String(value);
  }
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ') || 'none';
  if (!isPlainObject(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const kind: unknown = Reflect.get(value, 'kind');
  return typeof kind === 'string' ? kind : JSON.stringify(value);
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
