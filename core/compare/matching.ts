/**
 * Which operation of one experiment is which of another. In experiments that say the same, operations have the same
 * numbers. Otherwise, thread by thread (those of one id, then the rest in order), each rule over what the ones before it
 * left, the first with the first:
 *
 *   1. the same content, from the beginning of the thread and from its end
 *   2. the same label in the document and the same kind
 *   3. the same content
 *   4. the same kind at the same path
 *
 * What no rule finds was added or removed.
 */
import { type Experiment, walkOperations } from '../experiment/experiment.ts';
import type { Operation, OperationName } from '../experiment/operations.ts';
import { append } from '../groupBy.ts';
import { fieldPath } from '../shape/path.ts';

interface Placed {
  /** Operation number. */
  readonly op: number;
  readonly kind: OperationName;
  readonly label: string | undefined;
  /** All that it says, without what it holds. */
  readonly content: string;
  /** Within its thread. */
  readonly path: string;
}

/** For each operation number of `a`, its number in `b`; -1 where there is none. */
export function matchOperations(a: Experiment, b: Experiment): Int32Array {
  const [first, second] = [threadsOf(a), threadsOf(b)];
  const matches = new Int32Array(first.reduce((sum, { operations }) => sum + operations.length, 0)).fill(-1);
  for (const [own, other] of pairThreads(first, second)) {
    for (const [from, to] of matchThread(own.operations, other.operations)) matches[from.op] = to.op;
  }
  return matches;
}

interface Thread {
  readonly id: string;
  readonly operations: readonly Placed[];
}

function threadsOf({ threads }: Experiment): Thread[] {
  let next = 0;
  return threads.map(({ id, operations }) => {
    const placed: Placed[] = [];
    walkOperations(operations, (operation, path) => {
      const { op: kind, label } = operation;
      placed.push({ op: next, kind, label, content: contentOf(operation), path: fieldPath(path) });
      next += 1;
    });
    return { id, operations: placed };
  });
}

const contentOf = (operation: Operation): string =>
  JSON.stringify('operations' in operation ? { ...operation, operations: undefined } : operation);

function pairThreads(first: readonly Thread[], second: readonly Thread[]): [Thread, Thread][] {
  const named = first.flatMap((thread): [Thread, Thread][] => {
    const same = second.find(({ id }) => id === thread.id);
    return same === undefined ? [] : [[thread, same]];
  });
  const taken = new Set(named.flat());
  const rest = second.filter((thread) => !taken.has(thread));
  const unnamed = first
    .filter((thread) => !taken.has(thread))
    .flatMap((thread, index): [Thread, Thread][] => {
      const other = rest[index];
      return other === undefined ? [] : [[thread, other]];
    });
  return [...named, ...unnamed];
}

type Pair = readonly [Placed, Placed];

function matchThread(a: readonly Placed[], b: readonly Placed[]): Pair[] {
  const least = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < least && a[begin]?.content === b[begin]?.content) begin += 1;
  let end = 0;
  while (end < least - begin && a[a.length - 1 - end]?.content === b[b.length - 1 - end]?.content) end += 1;
  const pairs = [
    ...zip(a.slice(0, begin), b.slice(0, begin)),
    ...zip(a.slice(a.length - end), b.slice(b.length - end)),
  ];
  let [restA, restB] = [a.slice(begin, a.length - end), b.slice(begin, b.length - end)];
  for (const key of keys) {
    const found = matchBy(key, restA, restB);
    pairs.push(...found);
    const matched = new Set(found.flat());
    restA = restA.filter((one) => !matched.has(one));
    restB = restB.filter((one) => !matched.has(one));
  }
  return pairs;
}

type Key = (operation: Placed) => string | null;

const keys: readonly Key[] = [
  ({ kind, label }) => (label === undefined ? null : `${kind} ${label}`),
  ({ content }) => content,
  ({ kind, path }) => `${kind} ${path}`,
];

/** The first of a key with the first of that key, the second with the second. */
function matchBy(key: Key, a: readonly Placed[], b: readonly Placed[]): Pair[] {
  const waiting = new Map<string, Placed[]>();
  for (const one of b.toReversed()) {
    const name = key(one);
    if (name !== null) append(waiting, name, one);
  }
  return a.flatMap((one): Pair[] => {
    const name = key(one);
    const other = name === null ? undefined : waiting.get(name)?.pop();
    return other === undefined ? [] : [[one, other]];
  });
}

const zip = (a: readonly Placed[], b: readonly Placed[]): Pair[] =>
  a.flatMap((one, index): Pair[] => {
    const other = b[index];
    return other === undefined ? [] : [[one, other]];
  });
