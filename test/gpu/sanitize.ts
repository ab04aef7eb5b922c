/**
 * What compute-sanitizer watches: every kernel of ours and every kind of copy, small, with device times from CUDA
 * events, since CUPTI and the sanitizer can't both watch. Run by run.sh; ends with exit code 1 where data is wrong.
 */
import assert from 'node:assert/strict';
import { benchPlan } from '../../core/bench/plan.ts';
import { endMeasuring, measure } from '../../native/bench.ts';
import { experiment, runOnGpu } from './support.ts';

const KiB = 1024;

for (const memory of ['pageable', 'pinned'] as const) {
  const run = await runOnGpu(
    experiment({
      name: `sanitize ${memory}`,
      environment: { iterations: 2, warmups: 1 },
      buffers: [
        { id: 'host', memory, bytes: 100_003, pattern: { kind: 'random', seed: 3 } },
        { id: 'device', memory: 'device', bytes: 128 * KiB },
        { id: 'result', memory: 'device', bytes: 128 * KiB },
        { id: 'back', memory, bytes: 100_003 },
      ],
      streams: [{ id: 'copy' }, { id: 'compute' }],
      events: [{ id: 'arrived' }, { id: 'computed' }],
      threads: [
        {
          id: 'main',
          operations: [
            { op: 'copy', src: 'host', dst: 'device', bytes: 100_003, stream: 'copy' },
            { op: 'recordEvent', event: 'arrived', stream: 'copy' },
            { op: 'waitEvent', event: 'arrived', stream: 'compute' },
            {
              op: 'kernel',
              kernel: { kind: 'stream', passes: 3 },
              reads: ['device'],
              writes: ['result'],
              stream: 'compute',
            },
            { op: 'kernel', kernel: { kind: 'spin', durationNs: 10_000 }, stream: 'compute' },
            { op: 'recordEvent', event: 'computed', stream: 'compute' },
            { op: 'waitEvent', event: 'computed', stream: 'copy' },
            { op: 'copy', src: 'result', dst: 'back', bytes: 100_003, stream: 'copy' },
            { op: 'synchronizeStream', stream: 'copy' },
            { op: 'read', buffer: 'back' },
          ],
        },
      ],
    }),
    { timing: 'cuda-events' },
  );
  assert.equal(run.info.verification.bytesWrong, 0);
  assert.ok(run.info.verification.bytesChecked > 400_000);
}

const sections = ['copies', 'latency', 'device', 'bidirectional', 'small', 'launch'] as const;
for (const { measurement, waived, section, row, column } of benchPlan(
  { sections, sizes: [4 * KiB + 3, 64 * KiB], samples: 2 },
  1,
)) {
  if (waived !== undefined) continue;
  const count = Math.min(measurement.count, 8);
  const { checked, wrong } = await measure({ ...measurement, count, samples: 2 });
  assert.equal(wrong, 0, `${section} ${row} ${column}`);
  assert.ok(section === 'launch' || checked > 0, `${section} ${row} ${column}`);
}
endMeasuring();
