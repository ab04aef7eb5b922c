/** A block is the same one while its document is edited, wherever it stands by then. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deleteOperations, duplicateOperations, moveOperations } from '../../../core/experiment/edit/operations.ts';
import { operationPaths, placeAt } from '../../../core/experiment/edit/paths.ts';
import { resizeOperation } from '../../../core/experiment/edit/resize.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { BlockKeeper } from '../../../renderer/score/blockKeys.ts';
import { scoreLayout } from '../../../renderer/score/scoreLayout.ts';
import { edits, momentsOf } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';

const work = (durationNs: number) => ({ op: 'work', durationNs }) as const;
const document = experimentOf({}, [work(1), work(2), work(3)], [work(4)]);
const path = (experiment: Experiment, op: number) => operationPaths(experiment)[op] ?? [];

/** The keys before and after an edit. */
function keysOf(change: (experiment: Experiment) => Experiment): [readonly number[], readonly number[]] {
  const keeper = new BlockKeeper();
  const keys = (experiment: Experiment) => keeper.keysOf(scoreLayout(experiment).blocks);
  return [keys(document), keys(change(document))];
}

describe('the key of a block', () => {
  it('stays with the operations behind one that is put in or taken out', () => {
    const [before, after] = keysOf((all) => duplicateOperations(all, [path(all, 0)]).experiment);
    expect([after[0], ...after.slice(2)]).toEqual(before);
    expect(before).not.toContain(after[1]);
    const [all, rest] = keysOf((experiment) => deleteOperations(experiment, [path(experiment, 1)]).experiment);
    expect(rest).toEqual(all.filter((_, at) => at !== 1));
  });

  it('stays with an operation that is changed, and goes along with one that is moved', () => {
    const [before, after] = keysOf((all) => resizeOperation(all, path(all, 1), 512).experiment);
    expect(after).toEqual(before);
    const [[a, b, c, d], moved] = keysOf(
      (all) => moveOperations(all, [path(all, 0)], placeAt(path(all, 2), 'after')).experiment,
    );
    expect(moved).toEqual([b, c, a, d]);
  });

  it('is that of one block, and of each that has stayed, after any edits', () => {
    fc.assert(
      fc.property(edits, (steps) => {
        const keeper = new BlockKeeper();
        let before = new Map<unknown, number | undefined>();
        for (const moment of momentsOf(document, steps)) {
          const { blocks } = scoreLayout(moment);
          const keys = keeper.keysOf(blocks);
          expect(new Set(keys).size).toBe(blocks.length);
          for (const [at, { operation }] of blocks.entries()) {
            const known = before.get(operation);
            if (known !== undefined) expect(keys[at]).toBe(known);
          }
          before = new Map(blocks.map(({ operation }, at) => [operation, keys[at]]));
        }
      }),
    );
  });
});
