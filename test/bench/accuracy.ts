/**
 * How well the simulator predicts what was recorded: node test/bench/run.mjs accuracy [--runs FOLDER] [--blind FOLDER,…]
 * [--profile NAME|FILE.json] [--base FILE] [--no-fit] [--no-cross] [--worst 15]. For each recorded run: predicted and recorded
 * makespan, and the part of the copies' time in which kernels ran. The corpus' runs are split in two by their place in
 * the sorted list, a profile is fitted to one half only, and both halves are told; then the other way round. The blind
 * sets are told beside with the profile that ships, and where its worst predictions part from what was recorded. Last,
 * for each set, a profile is fitted to the runs of the other machines and predicts this one's: what is to be expected of
 * a strange machine. Targets: median absolute error of the makespan at most 5 %, 90th percentile at most 15 %, overlap
 * within 5 points in nine of ten.
 */
import { existsSync, readFileSync } from 'node:fs';
import { errorsOf, type Predicted, predict } from '../../core/calibrate/fit/errorTerms.ts';
import { fitProfile } from '../../core/calibrate/fit/fit.ts';
import type { RecordedRun } from '../../core/calibrate/fit/recordedRun.ts';
import { type DeviceProfile, parseProfile } from '../../core/simulator/profile.ts';
import { whileRecording } from '../../core/simulator/recorder.ts';
import { errorParts } from './support/errorParts.ts';
import {
  calibratedFor,
  fitToMachines,
  machineOf,
  readSet,
  type SetRun,
  sets,
  shippedRuns,
  trials,
} from './support/recordedSets.ts';

const option = (name: string, otherwise: string): string => {
  const place = process.argv.indexOf(name);
  return place < 0 ? otherwise : (process.argv[place + 1] ?? otherwise);
};

const leftOut: string[] = [];
/** The second corpus is no trial of shapes, but one of a machine that no profile had seen. */
const blindSets = [...sets.filter((folder) => folder !== 'test/fixtures/corpus' && folder !== shippedRuns), ...trials];
const targets = { median: 0.05, high: 0.15, close: 0.9 };
let [held, asked] = [0, 0];

const wanted = option('--profile', 'h200');
/** Calibrated on several H200 machines: what a fit starts from. */
const base = readProfile(option('--base', 'test/fixtures/h200-machines.json'));
const shipped = readProfile(wanted.endsWith('.json') ? wanted : `assets/profiles/${wanted}.json`);
tellCorpus(option('--runs', 'test/fixtures/corpus'));
for (const folder of option('--blind', blindSets.join(',')).split(',')) tellBlind(folder);
if (!process.argv.includes('--no-fit') && !process.argv.includes('--no-cross')) tellStrangers();
for (const reason of leftOut) console.log(`left out: ${reason}`);
console.log(`${held} of ${asked} targets are held.`);

function tellCorpus(folder: string): void {
  const runs = readRuns(folder);
  // By place, so that both halves hold all kinds, and the split never depends on what came out.
  const halves = [0, 1].map((half) => runs.filter((_, index) => index % 2 === half));
  tell(`profile ${shipped.name} as it ships, fitted to both halves`, shipped, halves);
  tell(`profile ${base.name} as it is`, base, halves);
  if (process.argv.includes('--no-fit')) return;
  halves.forEach((half, index) => {
    const start = performance.now();
    const { profile, simulations } = fitProfile(base, half);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const name = `half ${index + 1}`;
    console.log(`\nfitted to ${name} alone: ${half.length} runs, ${simulations} simulations, ${seconds} s`);
    tell(`fitted to ${name}`, profile, halves);
  });
}

function tellBlind(folder: string): void {
  const runs = existsSync(folder) ? readRuns(folder) : [];
  if (runs.length === 0) return;
  const predictions = tell(`profile ${shipped.name} as it ships, blind set ${folder}`, shipped, [runs]);
  const calibrated = calibratedFor.get(folder);
  if (calibrated !== undefined) tell(`calibrated on the machine of ${folder}`, readProfile(calibrated), [runs]);
  const errorOf = ({ makespanNs, predicted }: Predicted): number => predicted.makespanNs / makespanNs - 1;
  const worst = [...predictions].sort((a, b) => Math.abs(errorOf(b)) - Math.abs(errorOf(a)));
  console.log('\nthe worst of them, and where prediction and recording part');
  for (const run of worst.slice(0, Number(option('--worst', '15')))) {
    console.log(`${run.id}: ${(100 * errorOf(run)).toFixed(1)} % of ${us(run.makespanNs)}`);
    for (const { name, ns, worst: row } of errorParts(run, whileRecording(shipped)).slice(0, 3)) {
      console.log(`    ${name} ${ns < 0 ? '−' : '+'}${us(Math.abs(ns))}, most of all ${row}`);
    }
  }
}

function readProfile(path: string): DeviceProfile {
  return parseProfile(JSON.parse(readFileSync(path, 'utf8')));
}

function readRuns(folder: string): SetRun[] {
  const runs = readSet(folder, (reason) => leftOut.push(reason));
  console.log(`${runs.length} recorded runs in ${folder}`);
  return runs;
}

/** Each machine with many runs, by a profile fitted to those of the others. */
function tellStrangers(): void {
  const all = sets.flatMap((folder) => readSet(folder).map((run) => ({ ...run, folder })));
  const folders = sets.filter((folder) => folder !== shippedRuns);
  for (const strange of new Set(folders.map((folder) => machineOf(folder, '')))) {
    const others = all.filter(({ machine }) => machine !== strange);
    const { profile } = fitToMachines(base, others);
    const machine = whileRecording(profile);
    for (const folder of folders.filter((one) => machineOf(one, '') === strange)) {
      const runs = all.filter((run) => run.folder === folder);
      const predicted = runs.map((run) => ({ ...run, predicted: predict(run, machine) }));
      console.log(`\nfitted to ${others.length} runs, none of them of the machine of ${folder}`);
      summarise(`${folder}, machine not seen`, predicted);
    }
  }
}

/** Of each group of runs in turn; numbered where there are several. */
function tell(
  name: string,
  profile: DeviceProfile,
  groups: readonly (readonly RecordedRun[])[],
): (RecordedRun & Predicted)[] {
  const machine = whileRecording(profile);
  const known = groups.map((group) => group.map((run) => ({ ...run, predicted: predict(run, machine) })));
  const all = known.flat().sort((a, b) => (a.id < b.id ? -1 : 1));
  console.log(`\n${name}`);
  print('experiment', 'recorded', 'predicted', 'error', 'overlap recorded', 'predicted');
  for (const one of all) printRun(one);
  if (known.length > 1) {
    for (const [index, group] of known.entries()) summarise(`${name}, half ${index + 1}`, group);
  }
  summarise(known.length > 1 ? `${name}, all` : name, all);
  return all;
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
