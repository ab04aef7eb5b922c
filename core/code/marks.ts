/** Comments that mark a remedy's changes in an experiment. */
import { type Experiment, eachOperation } from '../experiment/experiment.ts';
import type { Operation } from '../experiment/operations.ts';

export interface Marks {
  /** Comments by operation number. */
  readonly operations: ReadonlyMap<number, string>;
  /** Comments on declarations, by id. */
  readonly declared: Readonly<Record<Declared, ReadonlyMap<string, string>>>;
}

type Declared = 'buffers' | 'streams' | 'events';

export const noMarks: Marks = {
  operations: new Map(),
  declared: { buffers: new Map(), streams: new Map(), events: new Map() },
};

/** Limit of compared pairs of operations. Operations of longer documents get no marks. */
const mostPairs = 4_000_000;

export function marksOf(before: Experiment, after: Experiment): Marks {
  const [old, now] = [operationsOf(before), operationsOf(after)];
  const kept =
    old.length * now.length > mostPairs
      ? null
      : keptFrom(
          old.map(({ text }) => text),
          now.map(({ text }) => text),
        );
  const operations = new Map<number, string>();
  if (kept !== null) {
    const gone = old.filter((_, index) => !kept.includes(index));
    for (const [op, one] of now.entries()) {
      if (kept[op] === null)
        operations.set(op, gone.some(({ kind }) => kind === one.kind) ? 'Remedy: changed.' : 'Remedy: added.');
    }
  }
  return {
    operations,
    declared: {
      buffers: declaredMarks(before.buffers, after.buffers, ({ memory }) => `${memory} memory`),
      streams: declaredMarks(before.streams, after.streams, streamText),
      events: declaredMarks(before.events, after.events, ({ timing }) => (timing ? 'with timing' : 'without timing')),
    },
  };
}

const streamText = ({ flags, priority }: Experiment['streams'][number]): string =>
  `${flags}${priority === 0 ? '' : `, priority ${priority}`}`;

/** `text` describes what a remedy may change in a declaration, besides adding it. */
function declaredMarks<One extends { readonly id: string }>(
  before: readonly One[],
  after: readonly One[],
  text: (one: One) => string,
): Map<string, string> {
  const was = new Map(before.map((one) => [one.id, text(one)]));
  return new Map(
    after.flatMap((one) => {
      const [old, now] = [was.get(one.id), text(one)];
      if (old === now) return [];
      return [[one.id, old === undefined ? 'Remedy: added.' : `Remedy: ${now}, where it was ${old}.`]];
    }),
  );
}

/** Returns operations in the order of their numbers; nested ones are separate entries. */
function operationsOf({ threads }: Experiment): { readonly text: string; readonly kind: Operation['op'] }[] {
  const found: { text: string; kind: Operation['op'] }[] = [];
  for (const thread of threads) {
    eachOperation(thread.operations, (operation) => {
      const text = JSON.stringify(operation, (key, value) => (key === 'operations' ? undefined : (value as unknown)));
      found.push({ text, kind: operation.op });
    });
  }
  return found;
}

/** Returns, for each position in `now`, its position in `old`; null if new. Matches as many as possible in order. */
function keptFrom(old: readonly string[], now: readonly string[]): (number | null)[] {
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = now.length - 1; b >= 0; b -= 1) {
      const at = a * width + b;
      common[at] =
        old[a] === now[b] ? (common[at + width + 1] ?? 0) + 1 : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
    }
  }
  const kept: (number | null)[] = now.map(() => null);
  for (let [a, b] = [0, 0]; a < old.length && b < now.length; ) {
    if (old[a] === now[b]) {
      kept[b] = a;
      a += 1;
      b += 1;
    } else if ((common[(a + 1) * width + b] ?? 0) >= (common[a * width + b + 1] ?? 0)) a += 1;
    else b += 1;
  }
  return kept;
}
