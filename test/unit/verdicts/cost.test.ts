import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { summarizeRun } from '../../../core/explain/summary/summary.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

async function* bytesOf(name: string): AsyncGenerator<Uint8Array> {
  yield gunzipSync(readFileSync(`test/fixtures/pytorch-pairs/${name}.json.gz`));
}

const explained = async (name: string) => {
  const run = await readPyTorchTrace(bytesOf(name), { name, version: '0', modifiedAt: new Date(0) });
  return summarizeRun(run);
};

describe('a real program that copies from pageable memory', () => {
  it.each([
    { name: 'weights.pageable', copies: 60, leastShare: 0.8 },
    { name: 'vision.pageable', copies: 6, leastShare: 0.4 },
    { name: 'samples.pageable', copies: 384, leastShare: 0.35 },
    { name: 'recsys.pageable', copies: 150, leastShare: 0.1 },
  ])('$name names pinning first, with the cost of all such copies together', async ({ name, copies, leastShare }) => {
    const { verdicts, verdictSums, makespanNs } = await explained(name);
    expect(verdicts[0]).toMatchObject({ cause: 'pageable-source' });
    expect(verdictSums[0]).toMatchObject({ cause: 'pageable-source', count: copies });
    expect((verdictSums[0]?.costNs ?? 0) / (makespanNs ?? 0)).toBeGreaterThan(leastShare);
  });

  it('does not name pinning once it is pinned', async () => {
    const { verdicts } = await explained('weights.pinned');
    expect(verdicts.every(({ cause, pinnedNs }) => cause === 'same-stream' && pinnedNs === null)).toBe(true);
  });
});

const MiB = 2 ** 20;

/** Returns a kernel, and a copy of its result into pageable memory in the same stream. */
const downloading = (kernelNs: number): Experiment =>
  experimentOf(
    {
      buffers: [
        { id: 'result', memory: 'device', bytes: 64 * MiB },
        { id: 'saved', memory: 'pageable', bytes: 64 * MiB },
      ],
      streams: [{ id: 'a', flags: 'non-blocking' }],
    },
    [
      { op: 'kernel', stream: 'a', kernel: { kind: 'spin', durationNs: kernelNs } },
      { op: 'copy', src: 'result', dst: 'saved', stream: 'a' },
    ],
  );

describe('a copy into pageable memory behind a kernel', () => {
  it('memory comes first where the copy takes most of the time, and pinning is what is proposed', () => {
    const found = explainWithRemedies(downloading(100_000), h200Machine);
    expect(found?.before.verdicts[0]).toMatchObject({ cause: 'pageable-destination', also: ['same-stream'] });
    expect(found?.remedies[0]).toMatchObject({ isConfirmed: true });
    expect(found?.remedies[0]?.steps[0]).toBe('Pin "saved".');
  });

  it('the order comes first where the kernel could hide all of it', () => {
    expect(explainWithRemedies(downloading(1e9), h200Machine)?.before.verdicts[0]?.cause).toBe('same-stream');
  });
});

it('costs count what ran while no kernel did, and the costliest comes first', async () => {
  const { verdicts } = await explained('vision.prefetch');
  for (const { costNs, copyNs, overlapNs, pinnedNs } of verdicts) {
    if (pinnedNs === null) expect(costNs).toBeCloseTo(copyNs - overlapNs, 3);
  }
  const costs = verdicts.map(({ costNs }) => costNs);
  expect(costs).toEqual([...costs].sort((a, b) => b - a));
});
