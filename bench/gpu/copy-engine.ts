/**
 * Times the copy engine on cuda:0 against peers in the same run, and prints a table. Writes $OUT/copy-engine.json.
 * Every payload is made and verified byte for byte outside the times. PyTorch's figures: pytorch_copies.py.
 *
 *   node dist/gpu/copy-engine.js [--all]
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { copyStrategies } from '../../core/experiment/operations.ts';
import { median } from '../../core/statistics.ts';
import { type CopyDirection, type MeasureRequest, measureCopies } from '../support/measureCopies.ts';
import { measureStartCopy } from './measureStartCopy.ts';
import { sceneSizes } from './payloads.ts';

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly medianUs: number;
  readonly minUs: number;
  readonly maxUs: number;
  readonly gigabytesPerSecond: number;
  readonly allocations: number;
  readonly wrong: number;
  readonly checked: number;
}

const device = process.env['COPY_DEVICE'] ?? 'cuda:0';
/** Without a GPU, for trials, large payloads are a thousandth of their size. */
const scale = device.startsWith('cuda') ? 1 : 0.001;
const asked = new Set(process.argv.slice(2));
/** Measured with --all only. */
const slow = new Set<string>(['blocking-loop', 'pin-then-copy', 'pin-then-copy-non-blocking']);
const rows: Row[] = [];

function summarize(
  name: string,
  ns: readonly number[],
  rest: Omit<Row, 'name' | `${string}Us` | `giga${string}`>,
): Row {
  const sorted = [...ns].sort((a, b) => a - b);
  const at = (index: number): number => (sorted[index] ?? Number.NaN) / 1000;
  const medianUs = at(Math.floor(sorted.length / 2));
  return {
    name,
    medianUs,
    minUs: at(0),
    maxUs: at(sorted.length - 1),
    gigabytesPerSecond: rest.bytes / medianUs / 1000,
    ...rest,
  };
}

function add(row: Row): Row {
  rows.push(row);
  const time = `${row.medianUs.toFixed(1).padStart(10)} us (${row.minUs.toFixed(1)} to ${row.maxUs.toFixed(1)})`;
  const wrong = row.wrong === 0 && row.checked > 0 ? 'verified' : `WRONG ${row.wrong} of ${row.checked}`;
  const speed = `${row.gigabytesPerSecond.toFixed(2)} GB/s`;
  console.log(
    `${row.name.padEnd(62)} ${time.padEnd(44)} ${speed.padStart(12)}  ${row.allocations} allocations  ${wrong}`,
  );
  return row;
}

function measure(name: string, request: Omit<MeasureRequest, 'device'>): Row {
  try {
    const { ns, bytes, checked, wrong, allocations } = measureCopies({ device, ...request });
    return add(summarize(name, [...ns], { bytes, checked, wrong, allocations }));
  } catch (thrown) {
    console.log(`${name.padEnd(62)} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exitCode = 1;
    return summarize(name, [], { bytes: 0, checked: 0, wrong: 0, allocations: 0 });
  }
}

const ratio = (better: Row, than: Row): string => (than.medianUs / better.medianUs).toFixed(3);
const large = Array<number>(Math.round(1000 * Math.max(scale, 0.02))).fill(4_000_000);
const medium = Array<number>(1000).fill(4_000);
const scene = sceneSizes();

console.log(`${device}, ${cpus().length} cores, ${cpus()[0]?.model ?? ''}`);
const summary: Record<string, string> = {};

for (const direction of ['h2d', 'd2h'] as const satisfies readonly CopyDirection[]) {
  const label = direction === 'h2d' ? 'H2D' : 'D2H';
  const title = `${label} ${large.length} x 4 MB`;
  const pinned = measure(`${title}, pinned, non-blocking loop`, {
    direction,
    sizes: large,
    memory: 'pinned',
    strategy: 'non-blocking-loop',
  });
  for (const strategy of copyStrategies) {
    if (slow.has(strategy) && !asked.has('--all')) continue;
    const row = measure(`${title}, pageable, ${strategy}`, { direction, sizes: large, strategy });
    if (strategy === 'pipelined') summary[`${label} pipelined / pinned`] = ratio(row, pinned);
  }
}

const many = { direction: 'h2d', repetitions: 501, warmups: 20 } as const;
for (const strategy of ['non-blocking-loop', 'packed', 'pipelined'] as const) {
  measure(`H2D 528 tensors of scenes, ${strategy}`, { ...many, sizes: scene, strategy });
  measure(`H2D 1000 x 4000 B, ${strategy}`, { ...many, sizes: medium, strategy });
}
const rested = { ...many, repetitions: 101, pauseMs: 5 };
measure('H2D 528 tensors of scenes, pipelined, 5 ms rest before each', { ...rested, sizes: scene });
measure('H2D 1000 x 4000 B, pipelined, 5 ms rest before each', { ...rested, sizes: medium });
measure('D2H 1000 x 4000 B, pipelined', { ...many, direction: 'd2h', repetitions: 101, sizes: medium });
for (const threads of [1, 4, 6, 8, 12]) {
  for (const chunkKiB of [256, 512, 1024]) {
    measure(`H2D 1000 x 4000 B, ${threads} threads, chunks of ${chunkKiB} KiB`, {
      ...many,
      repetitions: 201,
      sizes: medium,
      threads,
      chunkBytes: chunkKiB * 1024,
    });
  }
}

for (const [title, sizes, repetitions] of [
  ['528 tensors of scenes', scene, 501],
  ['1000 x 4000 B', medium, 501],
  [`${large.length} x 4 MB`, large, 7],
] as const) {
  const result = await measureStartCopy(device, sizes, repetitions);
  for (const [part, ns] of Object.entries(result.ns)) {
    const { bytes, checked, wrong, allocations } = result;
    add(summarize(`startCopy ${title}, ${part}`, ns, { bytes, checked, wrong, allocations }));
  }
}

const gibibyte = [Math.round(2 ** 30 * scale)];
for (const direction of ['h2d', 'd2h'] as const) {
  for (const strategy of ['non-blocking-loop', 'pipelined'] as const) {
    const request = { device, direction, sizes: gibibyte, memory: 'pinned', strategy, repetitions: 15 } as const;
    const { ns, bareNs, ...rest } = measureCopies({ ...request, besideBare: true });
    add(summarize(`${direction} 1 GiB pinned, engine, ${strategy}`, [...ns], rest));
    add(summarize(`${direction} 1 GiB pinned, bare cudaMemcpyAsync as the reference`, [...bareNs], rest));
    const pairs = [...ns].map((own, pair) => (bareNs[pair] ?? Number.NaN) / own);
    summary[`${direction} 1 GiB pinned, engine, ${strategy} / bare`] = median(pairs).toFixed(3);
  }
}

console.log();
for (const [name, value] of Object.entries(summary)) console.log(`${name.padEnd(62)} ${value}`);
const results = { device, date: new Date().toISOString(), cores: cpus().length, rows, summary };
writeFileSync(join(process.env['OUT'] ?? '.', 'copy-engine.json'), JSON.stringify(results, null, 1));
