/** The four cases on a real GPU: overlap, bandwidth, verification and verdicts, with CUPTI and with CUDA events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeRun } from '../../core/analysis/summary.ts';
import { formatDuration, formatRate, formatShare } from '../../core/units.ts';
import { example, report, runOnGpu } from './support.ts';

const cases = [
  { id: 'overlap/pageable-same-stream', cause: 'pageable-source', overlaps: false },
  { id: 'overlap/pinned-same-stream', cause: 'same-stream', overlaps: false },
  { id: 'overlap/pageable-side-stream', cause: 'pageable-source', overlaps: false },
  { id: 'overlap/pinned-side-stream', cause: 'overlapped', overlaps: true },
] as const;

for (const { id, cause, overlaps } of cases) {
  test(id, async () => {
    const run = await runOnGpu(example(id));
    const summary = summarizeRun(run);
    const h2d = summary.engines.find((engine) => engine.lane === 'engine:gpu:h2d');
    assert.ok(h2d !== undefined, 'an H2D engine lane');
    const { h2dKernel } = summary.overlap;
    report(
      `${id.padEnd(32)} kernel overlapped ${formatShare(h2dKernel.shareOfKernel).padStart(7)}  H2D ${formatRate(h2d.bytesPerSecond).padStart(10)}` +
        `  makespan ${formatDuration(summary.makespanNs).padStart(8)}  verified ${summary.verification.bytesChecked} wrong ${summary.verification.bytesWrong}` +
        `  ${summary.verdicts.map((verdict) => verdict.cause).join(' ')}  (${summary.timing})`,
    );
    assert.equal(run.info.timing, 'cupti', run.info.notes.join(' '));
    if (overlaps) assert.ok(h2dKernel.shareOfKernel >= 0.95, `share ${h2dKernel.shareOfKernel}`);
    else assert.equal(h2dKernel.shareOfKernel, 0);
    if (id.includes('pinned')) assert.ok(h2d.bytesPerSecond >= 52e9, `${h2d.bytesPerSecond}`);
    assert.equal(summary.verification.bytesWrong, 0);
    assert.equal(summary.verification.bytesChecked, 2 * 5_242_880 * 4);
    assert.deepEqual(
      summary.verdicts.map((verdict) => verdict.cause),
      [cause],
    );
  });
}
