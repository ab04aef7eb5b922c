import { expect, test } from './support/test.ts';

const simulated = /^Simulated: NVIDIA H200/;

const cases = [
  'Pageable source, same stream',
  'Pageable source, second stream',
  'Pinned source, same stream',
  'Pinned source, second stream',
];

test('the lanes show what ran where, and only the pinned copy in its own stream runs beside the kernel', async ({
  window,
}) => {
  const overlapNs: Record<string, number> = {};
  for (const name of cases) {
    await window.open(name);
    await window.pickEngine(simulated);
    await window.run();
    const lanes = await window.lanes();
    for (const lane of [/^main$/, /H2D/, /Compute/]) expect(lanes.some((text) => lane.test(text))).toBe(true);
    const activities = await window.activities();
    const copy = activities.find(({ kind, engine }) => /copy/i.test(kind) && engine === 'H2D engine');
    const kernel = activities.find(({ engine }) => engine === 'Compute');
    if (copy === undefined || kernel === undefined) throw new Error(`no copy or kernel: ${JSON.stringify(activities)}`);
    expect(copy.bytes).toBe('20.0 MiB');
    expect(copy.lane === kernel.lane).toBe(name.includes('same stream'));
    const start = Math.max(copy.startNs, kernel.startNs);
    const end = Math.min(copy.startNs + copy.durationNs, kernel.startNs + kernel.durationNs);
    overlapNs[name] = Math.max(0, end - start);
  }
  const [overlapped, ...others] = Object.entries(overlapNs).sort(([, a], [, b]) => b - a);
  expect(overlapped?.[0]).toBe('Pinned source, second stream');
  expect(overlapped?.[1]).toBeGreaterThan(10_000);
  // The table gives three digits, so neighbours may seem to touch.
  for (const [, overlap] of others) expect(overlap).toBeLessThan(5_000);
});
