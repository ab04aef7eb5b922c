import { describe, expect, it } from 'vitest';
import { compareSteps } from '../../../core/lift/settle.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const traceOf = (path: string) => importTraceFile(`test/fixtures/${path}.json.gz`, 'test');

const compared = async (folder: string, before: string, after: string) =>
  compareSteps(await traceOf(`${folder}/${before}`), await traceOf(`${folder}/${after}`), costs);

describe('a trace made after a change', () => {
  it.each([
    ['pytorch-pairs', 'vision.pageable', 'vision.pinned', ['pin'], 0.47],
    ['pytorch-pairs', 'vision.pageable', 'vision.prefetch', ['pin', 'non-blocking', 'other-stream', 'prefetch'], 0.575],
    ['pytorch-pairs', 'weights.pageable', 'weights.pinned', ['pin', 'non-blocking'], 0.745],
    ['pytorch-unseen-h200', 'spectra.pageable', 'spectra.pinned', ['pin'], null],
  ] as const)('a trace of %s settles the prediction for %s: %s', async (folder, before, after, changes, truth) => {
    const { settled } = await compared(folder, before, after);
    expect(settled?.changes).toEqual(changes);
    expect(settled?.holds).toBe(true);
    if (truth !== null) expect(Math.abs((settled?.measuredShare ?? 0) - truth)).toBeLessThan(0.06);
  });

  it('settles nothing if nothing was changed', async () => {
    const { settled } = await compared('pytorch-pairs', 'vision.pinned', 'vision.pinned');
    expect(settled).toBeNull();
  });

  it('names first the part of the step that differs most', async () => {
    const { parts } = await compared('pytorch-pairs', 'vision.pageable', 'vision.pinned');
    expect(parts[0]?.part).toBe('exposed-copy-pageable');
    expect(parts[0]?.bNs).toBeLessThan(0.02 * (parts[0]?.aNs ?? 0));
  });
});
