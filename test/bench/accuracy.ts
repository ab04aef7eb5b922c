/**
 * How well the simulator predicts what was recorded: node test/bench/run.mjs accuracy [--runs FOLDER] [--profile NAME]
 * [--base FILE] [--no-fit]. For each recorded run: predicted and recorded makespan, and the part of the copies' time in
 * which kernels ran. The runs are split in two by their place in the sorted list, a profile is fitted to one half only,
 * and both halves are told; then the other way round. Targets: median absolute error of the makespan at most 5 %, 90th
 * percentile at most 15 %, overlap within 5 points in nine of ten.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsOf, type Predicted, predict } from '../../core/calibrate/fit/errorTerms.ts';
import { fitProfile } from '../../core/calibrate/fit/fit.ts';
import { type RecordedRun, recordedRun } from '../../core/calibrate/fit/recordedRun.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { type DeviceProfile, parseProfile } from '../../core/simulator/profile.ts';
import { whileRecording } from '../../core/simulator/recorder.ts';
import { decodeRun } from '../../core/trace/arrow.ts';

const option = (name: string, otherwise: string): string => {
  const place = process.argv.indexOf(name);
  return place < 0 ? otherwise : (process.argv[place + 1] ?? otherwise);
};

const folder = option('--runs', 'test/fixtures/corpus');
/** Calibrated on the machine of the runs, without any of them: what a fit to half of them starts from. */
const base = readProfile(option('--base', 'test/fixtures/h200-calibrated.json'));
const shipped = readProfile(`assets/profiles/${option('--profile', 'h200')}.json`);
const leftOut: string[] = [];
const targets = { median: 0.05, high: 0.15, close: 0.9 };

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.arrow'));
const runs = files.sort().flatMap((file) => read(file.replace(/\.arrow$/, '')) ?? []);
// By place, so that both halves hold all kinds, and the split never depends on what came out.
const halves = [0, 1].map((half) => runs.filter((_, index) => index % 2 === half));
const [first = [], second = []] = halves;
let [held, asked] = [0, 0];

tell(`profile ${shipped.name} as it ships`, shipped);
tell(`profile ${base.name} as it is`, base);
if (!process.argv.includes('--no-fit')) {
  tellFitted('half 1', first);
  tellFitted('half 2', second);
}
for (const reason of leftOut) console.log(`left out: ${reason}`);
console.log(`${runs.length} recorded runs in ${folder}. ${held} of ${asked} targets are held.`);

function readProfile(path: string): DeviceProfile {
  return parseProfile(JSON.parse(readFileSync(path, 'utf8')));
}

function read(id: string): RecordedRun | null {
  try {
    const run = decodeRun(readFileSync(join(folder, `${id}.arrow`)));
    if (run.info.engine === 'cuda') return recordedRun(id, run);
    leftOut.push(`${id}: it is no run of the CUDA engine`);
  } catch (error) {
    leftOut.push(`${id}: ${toErrorInfo(error).message}`);
  }
  return null;
}

function tellFitted(name: string, to: readonly RecordedRun[]): void {
  const start = performance.now();
  const { profile, simulations } = fitProfile(base, to);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`\nfitted to ${name} alone: ${to.length} runs, ${simulations} simulations, ${seconds} s`);
  tell(`fitted to ${name}`, profile);
}

function tell(name: string, profile: DeviceProfile): void {
  const machine = whileRecording(profile);
  const known = new Map(runs.map((run) => [run, { ...run, predicted: predict(run, machine) }]));
  console.log(`\n${name}`);
  print('experiment', 'recorded', 'predicted', 'error', 'overlap recorded', 'predicted');
  for (const one of known.values()) printRun(one);
  const of = (some: readonly RecordedRun[]): Predicted[] => some.flatMap((run) => known.get(run) ?? []);
  for (const [index, half] of halves.entries()) summarise(`${name}, half ${index + 1}`, of(half));
  summarise(`${name}, all`, of(runs));
}

function printRun({ id, makespanNs, overlap, predicted }: RecordedRun & Predicted): void {
  const error = 100 * (predicted.makespanNs / makespanNs - 1);
  const shares = [percent(overlap), percent(predicted.overlap)];
  print(id, us(makespanNs), us(predicted.makespanNs), `${error.toFixed(1)} %`, ...shares);
}

function summarise(name: string, some: readonly Predicted[]): void {
  if (some.length === 0) {
    console.log(`${name}: no runs`);
    return;
  }
  const { median, high, overlaps, close } = errorsOf(some);
  const results = [median <= targets.median, high <= targets.high, close >= targets.close * overlaps];
  held += results.filter(Boolean).length;
  asked += results.length;
  const [byMedian, byHigh, byOverlap] = results.map((holds) => (holds ? 'held' : 'NOT HELD'));
  console.log(
    `${name}: ${some.length} runs, makespan error median ${percent(median)} (${byMedian}), 90th percentile ${percent(high)} (${byHigh}); overlap within 5 points in ${close} of ${overlaps} (${byOverlap})`,
  );
}

function us(ns: number): string {
  return `${(ns / 1000).toFixed(1)} µs`;
}

function percent(value: number | null): string {
  return value === null ? '–' : `${(100 * value).toFixed(1)} %`;
}

function print(id: string, ...cells: readonly string[]): void {
  console.log([id.padEnd(40), ...cells.map((cell) => cell.padStart(16))].join(' '));
}
