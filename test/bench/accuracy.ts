/**
 * How well the simulator predicts what was recorded: node test/bench/run.mjs accuracy [--profile FILE] [--worst N]. For each
 * recorded set: makespan and overlap as predicted by a profile and as recorded, causes of verdicts, apart for runs that host
 * memory decides and for others; then the same with what was calibrated on the set's machine, where it was.
 */
import { readFileSync } from 'node:fs';
import { type DeviceProfile, parseProfile } from '../../core/profile/profile.ts';
import { hasRecordings } from '../support/recordings.ts';
import { errorParts } from './support/errorParts.ts';
import { figuresOf, type Judged, judge, readJudged } from './support/judged.ts';
import { calibratedFor, sets, trials, unseenTrials } from './support/recordedSets.ts';

const option = (name: string, otherwise: string): string => {
  const place = process.argv.indexOf(name);
  return place < 0 ? otherwise : (process.argv[place + 1] ?? otherwise);
};
const read = (file: string): DeviceProfile => parseProfile(JSON.parse(readFileSync(file, 'utf8')));
const shipped = read(option('--profile', 'assets/profiles/h200.json'));
const worst = Number(option('--worst', '3'));
const [all, there]: [Judged[], Judged[]] = [[], []];

for (const set of [...sets, ...trials].filter(hasRecordings)) {
  const runs = readJudged(set);
  const judged = runs.map((run) => judge(run, shipped));
  tell(set, judged);
  tellWorst(judged);
  if (unseenTrials.includes(set)) all.push(...judged);
  const calibrated = calibratedFor.get(set);
  if (calibrated === undefined) continue;
  const own = runs.map((run) => judge(run, read(calibrated)));
  tell(`  calibrated there`, own);
  if (unseenTrials.includes(set)) there.push(...own);
}
tell('all trials that no profile has seen', all);
tell('  calibrated there', there);

function tell(name: string, judged: readonly Judged[]): void {
  const kinds = [
    ['all', judged],
    ['device or link', judged.filter(({ run }) => !run.isHostBound)],
    ['host memory', judged.filter(({ run }) => run.isHostBound)],
  ] as const;
  const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
  const cells = kinds.map(([kind, some]) => {
    const { runs, median, high, close, overlaps, right, causes } = figuresOf(some);
    return `${kind}: ${runs} runs, makespan off ${percent(median)} and ${percent(high)}, overlap ${close} of ${overlaps}, causes ${right} of ${causes}`;
  });
  console.log(`${name}: ${cells.join('; ')}`);
}

function tellWorst(judged: readonly Judged[]): void {
  const sorted = [...judged].sort((a, b) => Math.abs(b.error) - Math.abs(a.error));
  for (const { run, error } of sorted.slice(0, worst)) {
    console.log(`  ${run.id}: ${(100 * error).toFixed(1)} % of ${(run.makespanNs / 1000).toFixed(1)} µs`);
    for (const { name, ns, worst: row } of errorParts(run, shipped).slice(0, 3))
      console.log(`    ${name} ${(ns / 1000).toFixed(1)} µs, most of all ${row}`);
  }
}
