/** The four cases on a real GPU: overlap, bandwidth, verification and verdicts, with CUPTI and with CUDA events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeRun } from '../../core/explain/summary/summary.ts';
import { formatDuration, formatRate, formatShare } from '../../core/units.ts';
import { example, report, runOnGpu } from './support.ts';

const cases = [
  { id: 'overlap/pageable-same-stream', cause: 'pageable-source', overlaps: false },
  { id: 'overlap/pinned-same-stream', cause: 'same-stream', overlaps: false },
  { id: 'overlap/pageable-side-stream', cause: 'pageable-source', overlaps: false },
  { id: 'overlap/pinned-side-stream', cause: 'overlapped', overlaps: true },
] as const;

for (const timing of ['cupti', 'cuda-events'] as const) {
  for (const { id, cause, overlaps } of cases) {
    test(`${id}, device times from ${timing}`, async () => {
      const summary = summarizeRun(await runOnGpu(example(id), { timing }));
      const h2d = summary.engines.find((engine) => engine.lane === 'engine:gpu:h2d');
      const bandwidth = h2d?.bytesPerSecond ?? 0;
      const share = summary.overlap.h2dKernel.shareOfKernel ?? Number.NaN;
      report(
        [
          id.replace('overlap/', '').padEnd(20),
          `kernel overlapped ${formatShare(share)}`.padEnd(26),
          `H2D ${formatRate(bandwidth)}`.padEnd(15),
          `makespan ${formatDuration(summary.makespanNs ?? 0)}`.padEnd(18),
          `${summary.verification.bytesWrong} of ${summary.verification.bytesChecked} bytes wrong`,
          summary.verdicts
            .map((verdict) => verdict.cause)
            .join(' ')
            .padEnd(16),
          summary.timing,
        ].join('  '),
      );
      assert.equal(summary.timing, timing, summary.notes.join(' '));
      if (overlaps) assert.ok(share >= 0.95, `kernel share ${share}`);
      else assert.equal(share, 0);
      // During a kernel, and after a pause of the link, the same copy is up to a fifth slower on some machines.
      if (id.includes('pinned')) assert.ok(bandwidth >= 40e9, `H2D ${formatRate(bandwidth)}`);
      assert.equal(summary.verification.bytesWrong, 0);
      assert.equal(summary.verification.bytesChecked, 2 * 5_242_880 * 4);
      assert.deepEqual(
        summary.verdicts.map((verdict) => verdict.cause),
        [cause],
      );
    });
  }
}
