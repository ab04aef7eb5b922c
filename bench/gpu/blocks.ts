/**
 * Measures copies of scattered blocks of pinned memory on device 0: every strategy and `auto`, 22 shapes each way, every
 * byte of every block verified. Then records the runs of the lesson "Blocks of a KV cache". Writes $OUT/blocks.json,
 * $OUT/table.txt and $OUT/runs/lessons/*.arrow. --quick leaves out shapes of more than 16 MiB.
 *
 * First run `npm run build && node test/gpu/pack.mjs` on a machine with npm. Then, with dist/gpu, dist/host and native/build/Release on the
 * machine with the GPU, in the root of the repository:
 *
 *   d=$(mktemp -d) && xz -dc dist/gpu/node.xz > $d/node && chmod +x $d/node && timeout 120 $d/node dist/gpu/blocks.js; cat $OUT/table.txt
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockDirections, blockMeasurement, blockShapes } from '../../core/apps/calibrate/blocks.ts';
import { measuredStrategies } from '../../core/apps/calibrate/measurement.ts';
import { median } from '../../core/statistics.ts';
import { endMeasuring, measure } from '../../native/bench.ts';
import { report } from '../../test/gpu/support.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const out = process.env['OUT'] ?? '.';
const isQuick = process.argv.includes('--quick');

const shapes = blockShapes.filter(({ bytes, count }) => !isQuick || bytes * count <= 16 * MiB);

interface Point {
  readonly direction: 'h2d' | 'd2h';
  readonly bytes: number;
  readonly count: number;
  readonly strategy: (typeof measuredStrategies)[number] | 'auto';
  /** Medians: from the first call to the end of a synchronise, of the calls, and between two events. */
  readonly doneUs: number;
  readonly callUs: number;
  readonly deviceUs: number;
  readonly gigabytesPerSecond: number;
  readonly checked: number;
  readonly wrong: number;
}

async function point(shape: (typeof shapes)[number], direction: 'h2d' | 'd2h', strategy: Point['strategy']) {
  const { bytes, count } = shape;
  const total = bytes * count;
  const found = await measure(blockMeasurement(shape, direction, strategy));
  const us = (times: Float64Array): number => median([...times]) / 1e3;
  const deviceUs = us(found.deviceNs);
  const times = { doneUs: us(found.ns), callUs: us(found.callNs), deviceUs };
  const { checked, wrong } = found;
  return {
    direction,
    bytes,
    count,
    strategy,
    ...times,
    gigabytesPerSecond: total / deviceUs / 1e3,
    checked,
    wrong,
  };
}

const points: Point[] = [];
const failed: string[] = [];
for (const direction of blockDirections) {
  for (const shape of shapes) {
    for (const strategy of [...measuredStrategies, 'auto'] as const) {
      try {
        points.push(await point(shape, direction, strategy));
      } catch (thrown) {
        failed.push(`${direction} ${shape.count} x ${shape.bytes} by ${strategy}: ${String(thrown)}`);
      }
    }
  }
}
endMeasuring();

const of = (direction: string, { bytes, count }: (typeof shapes)[number]): readonly Point[] =>
  points.filter((one) => one.direction === direction && one.bytes === bytes && one.count === count);
let near = 0;
for (const direction of ['h2d', 'd2h']) {
  for (const shape of shapes) {
    const here = of(direction, shape);
    const best = Math.min(...here.filter(({ strategy }) => strategy !== 'auto').map(({ doneUs }) => doneUs));
    const auto = here.find(({ strategy }) => strategy === 'auto')?.doneUs ?? Number.NaN;
    if (auto <= 1.05 * best) near += 1;
    const figures = here.map(
      ({ strategy, gigabytesPerSecond, doneUs }) =>
        `${strategy} ${gigabytesPerSecond.toFixed(1)}; ${doneUs.toFixed(0)}`,
    );
    report(`${direction} ${shape.count} x ${shape.bytes / KiB} KiB (GB/s; us): ${figures.join('  ')}`);
  }
}
const wrong = points.reduce((sum, one) => sum + one.wrong, 0);
report(`blocks: ${wrong} bytes wrong of ${points.reduce((sum, one) => sum + one.checked, 0)} (at most 0)`);
report(`blocks: auto within 5 % of the best strategy in ${near} of ${2 * shapes.length} points (at least 40 of 44)`);
for (const direction of ['h2d', 'd2h']) {
  const byKernel = points.filter(
    (one) => one.direction === direction && one.strategy === 'kernel' && one.bytes === 4 * KiB && one.count === 1024,
  );
  report(
    `blocks: ${direction} 1024 x 4 KiB by kernel ${byKernel[0]?.gigabytesPerSecond.toFixed(1)} GB/s (at least 40)`,
  );
}
for (const one of failed) report(`blocks: FAILED ${one}`);

writeFileSync(join(out, 'blocks.json'), JSON.stringify({ points, failed, near }, null, 1));

mkdirSync(join(out, 'runs/lessons'), { recursive: true });
for (const id of ['blocks-loop', 'blocks-batch', 'blocks-kernel', 'blocks-pageable', 'blocks-packed']) {
  const file = join(out, `runs/lessons/${id}.arrow`);
  const example = `assets/examples/lessons/${id}.json`;
  const run = spawnSync(process.execPath, [
    'dist/host/cli.js',
    'run',
    example,
    '--engine',
    'cuda',
    '--out',
    file,
    '--json',
  ]);
  report(`${id}: ${run.status === 0 ? 'recorded' : `not recorded: ${run.stderr}`}`);
}
process.exitCode = wrong === 0 && failed.length === 0 ? 0 : 1;
