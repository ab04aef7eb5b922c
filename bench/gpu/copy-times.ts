/**
 * Measures what the simulator's profile needs of the machine at hand with Copyscope's own engine: device time and host
 * call time of copies by size, direction and memory kind, and of byte-streaming kernels. Writes $OUT/copy-times.json;
 * each value is the median over the recorded iterations. Buffers are touched and filled before, as in every run.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExperimentInput } from '../../core/experiment/experiment.ts';
import { median } from '../../core/statistics.ts';
import type { Run } from '../../core/trace/run.ts';
import { rowKinds } from '../../core/trace/trace.ts';
import { experiment, native, runOnGpu } from '../../test/gpu/support.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const copySizes = [
  256,
  4 * KiB,
  16 * KiB,
  64 * KiB,
  68 * KiB,
  128 * KiB,
  256 * KiB,
  512 * KiB,
  MiB,
  2 * MiB,
  4 * MiB,
  8 * MiB,
];
const largeSizes = [16 * MiB, 20 * MiB, 32 * MiB, 64 * MiB, 128 * MiB, 256 * MiB, 1024 * MiB];
const kernelSizes = [MiB, 4 * MiB, 16 * MiB, 20 * MiB, 64 * MiB, 256 * MiB, 1024 * MiB];

/** Median duration over all iterations of the rows of one kind that belong to operation 0. */
function medianNs({ trace: { columns, count } }: Run, kind: (typeof rowKinds)[number]): number {
  const found: number[] = [];
  for (let row = 0; row < count; row += 1) {
    if (columns.op[row] === 0 && rowKinds[columns.kind[row] ?? 0] === kind) found.push(columns.durationNs[row] ?? 0);
  }
  return median(found);
}

const iterationsFor = (bytes: number): number => (bytes > 256 * MiB ? 3 : bytes > 16 * MiB ? 7 : 15);

async function copyTimes(memory: 'pageable' | 'pinned', direction: 'h2d' | 'd2h', bytes: number) {
  const [src, dst] = direction === 'h2d' ? (['host', 'device'] as const) : (['device', 'host'] as const);
  const built = experiment({
    name: 'copy time',
    environment: { iterations: iterationsFor(bytes), warmups: 2 },
    buffers: [
      { id: 'host', memory, bytes },
      { id: 'device', memory: 'device', bytes },
    ],
    streams: [{ id: 's' }],
    threads: [
      {
        id: 'main',
        operations: [
          { op: 'copy', src, dst, stream: 's' },
          { op: 'synchronizeStream', stream: 's' },
        ],
      },
    ],
  } satisfies Omit<ExperimentInput, 'format' | 'version'>);
  const cupti = await runOnGpu(built);
  const events = await runOnGpu(built, { timing: 'cuda-events' });
  return {
    direction,
    memory,
    bytes,
    deviceNs: medianNs(cupti, 'copy'),
    callNs: medianNs(cupti, 'host-call'),
    callWithEventsNs: medianNs(events, 'host-call'),
    betweenEventsNs: medianNs(events, 'copy'),
    plainWallNs: median([...cupti.info.iterations.plainWallNs, ...events.info.iterations.plainWallNs]),
  };
}

async function kernelTimes(bytes: number, passes: number) {
  const run = await runOnGpu(
    experiment({
      name: 'kernel time',
      environment: { iterations: 7, warmups: 2 },
      buffers: [
        { id: 'a', memory: 'device', bytes },
        { id: 'b', memory: 'device', bytes },
      ],
      threads: [
        {
          id: 'main',
          operations: [
            { op: 'kernel', kernel: { kind: 'stream', passes }, reads: ['a'], writes: ['b'] },
            { op: 'synchronizeDevice' },
          ],
        },
      ],
    }),
  );
  return { bytes, passes, deviceNs: medianNs(run, 'kernel'), callNs: medianNs(run, 'host-call') };
}

const copies = [];
for (const memory of ['pinned', 'pageable'] as const) {
  for (const direction of ['h2d', 'd2h'] as const) {
    for (const bytes of [...copySizes, ...largeSizes]) copies.push(await copyTimes(memory, direction, bytes));
  }
}
const kernels = [];
for (const bytes of kernelSizes) for (const passes of [1, 3, 10]) kernels.push(await kernelTimes(bytes, passes));

const results = { report: native.report(), copies, kernels };
writeFileSync(join(process.env['OUT'] ?? '.', 'copy-times.json'), JSON.stringify(results, null, 1));
