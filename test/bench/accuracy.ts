/**
 * How well the simulator predicts what was recorded: node test/bench/run.mjs accuracy [--runs FOLDER] [--profile NAME].
 * For each recorded run: predicted and recorded makespan, and the part of the copies' time in which kernels ran. Targets:
 * median absolute error of the makespan at most 5 %, 90th percentile at most 15 %, overlap within 5 points in nine of ten.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iterationOf } from '../../core/analysis/iteration.ts';
import { type Overlap, overlap } from '../../core/analysis/overlap.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { lower } from '../../core/program/lower.ts';
import { type DeviceProfile, parseProfile } from '../../core/simulator/profile.ts';
import { simulate } from '../../core/simulator/simulate.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { corpus } from '../gpu/corpus/corpus.ts';

interface Compared {
  readonly id: string;
  readonly recordedNs: number;
  readonly predictedNs: number;
  /** Shares from 0 to 1; null where there is no copy. */
  readonly recordedOverlap: number | null;
  readonly predictedOverlap: number | null;
}

const option = (name: string, otherwise: string): string => {
  const place = process.argv.indexOf(name);
  return place < 0 ? otherwise : (process.argv[place + 1] ?? otherwise);
};

const folder = option('--runs', 'assets/runs');
const profile = parseProfile(JSON.parse(readFileSync(`assets/profiles/${option('--profile', 'h200')}.json`, 'utf8')));

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.arrow'))
  .sort();
const skipped: string[] = [];
const compared = files.flatMap((file) => compare(file.replace(/\.arrow$/, ''), profile) ?? []);
// By their place in the sorted list, so that both halves hold all kinds and the split never depends on what came out.
const halves = [0, 1].map((half) => compared.filter((_, index) => index % 2 === half));

print('experiment', 'recorded', 'predicted', 'error', 'overlap recorded', 'predicted');
for (const one of compared) {
  const error = 100 * (one.predictedNs / one.recordedNs - 1);
  print(
    one.id,
    us(one.recordedNs),
    us(one.predictedNs),
    `${error.toFixed(1)} %`,
    percent(one.recordedOverlap),
    percent(one.predictedOverlap),
  );
}
console.log();
for (const [index, half] of halves.entries()) summarise(`half ${index + 1}`, half);
summarise('all', compared);
for (const reason of skipped) console.log(`left out: ${reason}`);
console.log(
  `${compared.length} recorded runs in ${folder}; the corpus has ${corpus().length} experiments (test/gpu/run.sh corpus records them).`,
);
console.log(`Profile ${profile.name}: calibrated on neither half where its sections don't say otherwise.`);

function compare(id: string, machine: DeviceProfile): Compared | null {
  try {
    const { info, trace } = decodeRun(readFileSync(join(folder, `${id}.arrow`)));
    if (info.engine !== 'cuda' || info.experiment === null || info.status !== 'complete') {
      skipped.push(`${id}: it is no complete run of the CUDA engine`);
      return null;
    }
    const predicted = simulate(lower(info.experiment), machine);
    return {
      id,
      recordedNs: median(info.iterations.recordedMakespanNs),
      predictedNs: predicted.makespanNs,
      recordedOverlap: share(overlap(iterationOf(trace, info.iterations.representative))),
      predictedOverlap: share(overlap(iterationOf(predicted.trace, 0))),
    };
  } catch (error) {
    skipped.push(`${id}: ${toErrorInfo(error).message}`);
    return null;
  }
}

/** The part of the copies' busy time, of both directions, in which kernels ran. */
function share({ h2dKernel, d2hKernel, h2dBusyNs, d2hBusyNs }: Overlap): number | null {
  const busy = h2dBusyNs + d2hBusyNs;
  return busy > 0 ? (h2dKernel.timeNs + d2hKernel.timeNs) / busy : null;
}

function summarise(name: string, runs: readonly Compared[]): void {
  if (runs.length === 0) {
    console.log(`${name}: no runs`);
    return;
  }
  const errors = runs
    .map(({ predictedNs, recordedNs }) => Math.abs(predictedNs / recordedNs - 1))
    .sort((a, b) => a - b);
  const overlaps = runs.filter(
    ({ recordedOverlap, predictedOverlap }) => recordedOverlap !== null && predictedOverlap !== null,
  );
  const close = overlaps.filter((one) => Math.abs((one.recordedOverlap ?? 0) - (one.predictedOverlap ?? 0)) <= 0.05);
  console.log(
    `${name}: ${runs.length} runs, makespan error median ${percent(quantile(errors, 0.5))}, 90th percentile ${percent(quantile(errors, 0.9))}; overlap within 5 points in ${close.length} of ${overlaps.length}`,
  );
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

function us(ns: number): string {
  return `${(ns / 1000).toFixed(1)} µs`;
}

function percent(value: number | null): string {
  return value === null ? '–' : `${(100 * value).toFixed(1)} %`;
}

function print(id: string, ...cells: readonly string[]): void {
  console.log([id.padEnd(36), ...cells.map((cell) => cell.padStart(16))].join(' '));
}
