/** What a remedy has changed in an experiment, as comments for the lines that say it. */
import { type Experiment, eachOperation } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';

export interface Marks {
  /** By the operation's number. */
  readonly operations: ReadonlyMap<number, string>;
  /** Of what is declared, by its id. */
  readonly buffers: ReadonlyMap<string, string>;
}

export const noMarks: Marks = { operations: new Map(), buffers: new Map() };

/** Of longer documents, pairs of operations are too many to look at: none of their operations is marked. */
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
  const memories = new Map(before.buffers.map(({ id, memory }) => [id, memory]));
  const buffers = new Map<string, string>();
  for (const { id, memory } of after.buffers) {
    const was = memories.get(id);
    if (was === undefined) buffers.set(id, 'Remedy: added.');
    else if (was !== memory) buffers.set(id, `Remedy: ${memory} memory, where it was ${was}.`);
  }
  return { operations, buffers };
}

/** In the order of their numbers; those inside of one are told apart by themselves. */
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

/** By place in `now`, the place in `old` that it is; null for what is not there. As many as can be, in their order. */
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
