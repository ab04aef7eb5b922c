/** A change's patches have the same result in a document as with immer, and leave everything else unchanged. */
import fc from 'fast-check';
import { enablePatches, Immer } from 'immer';
import { describe, expect, it } from 'vitest';
import { applyChange, insertAt, movedPath, type Patch, replaceAt } from '../../../core/experiment/change.ts';
import { operationPaths } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { nestedWork, work } from '../support/edits.ts';

enablePatches();
const immer = new Immer({ autoFreeze: false });

const kinds = fc.constantFrom('insert', 'insert a range', 'replace', 'remove', 'name', 'duration', 'declare');
const steps = fc.array(fc.record({ kind: kinds, at: fc.nat(20) }), { minLength: 1, maxLength: 8 });

/** Returns patches that can be applied in order, each independent of the values of earlier ones. */
function patchesOf(experiment: Experiment, list: readonly { readonly kind: string; readonly at: number }[]): Patch[] {
  const paths = operationPaths(experiment);
  const patches: Patch[] = [];
  for (const [index, { kind, at }] of list.entries()) {
    const path = movedPath(paths[at % paths.length] ?? [], patches);
    const last = path?.at(-1);
    if (path === null || last === undefined || paths.some((one) => movedPath(one, patches) === null)) continue;
    if (kind === 'declare') patches.push(insertAt(['buffers', 0], buffer(index)));
    else if (kind === 'name') patches.push(replaceAt(['name'], `name ${index}`));
    else if (kind === 'insert') patches.push(insertAt(path, work(100 + index)));
    else if (kind === 'insert a range')
      patches.push(insertAt(path, { op: 'range', name: 'r', operations: [work(index)] }));
    else if (kind === 'replace') patches.push(replaceAt(path, work(200 + index)));
    else if (kind === 'remove') patches.push({ op: 'remove', path: [...path] });
    else patches.push(insertAt([...path, 'label'], `label ${index}`));
  }
  return patches;
}

const buffer = (index: number) => ({
  id: `b${index}`,
  memory: 'pinned',
  bytes: 8,
  pattern: { kind: 'random', seed: 1 },
});

describe('a change', () => {
  it('makes what immer makes of the patches, and leaves the document and the patches as they are', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const patches = patchesOf(nestedWork, list);
        const before = structuredClone([nestedWork, patches]);
        const valid = (): Experiment => requireExperiment(immer.applyPatches(nestedWork, patches));
        const made = (): Experiment => applyChange(nestedWork, { patches });
        const [expected, found] = [valid, made].map((make) => {
          try {
            return make();
          } catch {
            return 'refused';
          }
        });
        expect(found).toEqual(expected);
        expect([nestedWork, patches]).toEqual(before);
      }),
    );
  });

  it('is refused where a path leads nowhere', () => {
    for (const path of [['threads', 9, 'operations', 0], ['name', 'x', 'y'], ['__proto__', 'x'], []]) {
      expect(() => applyChange(nestedWork, { patches: [replaceAt(path, work(1))] })).toThrow();
    }
  });
});
