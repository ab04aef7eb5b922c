/**
 * How well the simulator predicts what was recorded: node bench/run.mjs accuracy [--profile FILE] [--worst N]. For each
 * recorded set: makespan and overlap as predicted by a profile and as recorded, causes of verdicts, apart for runs that host
 * memory decides and for others; then the same with what was calibrated on the set's machine, where it was.
 */
import { readFileSync } from 'node:fs';
import { type DeviceProfile, parseProfile } from '../core/machine/profile/profile.ts';
import { hasRecordings } from '../test/support/recordings.ts';
import { Random } from '../test/unit/support/random.ts';
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
const unseen: Judged[][] = [];

for (const set of [...sets, ...trials].filter(hasRecordings)) {
  const runs = readJudged(set);
  const judged = runs.map((run) => judge(run, shipped));
  tell(set, judged);
  tellWorst(judged);
  if (unseenTrials.includes(set)) {
    all.push(...judged);
    unseen.push(judged);
  }
  const calibrated = calibratedFor.get(set);
  if (calibrated === undefined) continue;
  const own = runs.map((run) => judge(run, read(calibrated)));
  tell(`  calibrated there`, own);
  if (unseenTrials.includes(set)) there.push(...own);
}
tell('all trials that no profile has seen', all);
tell('  calibrated there', there);
tellSpread();

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

/** Prints what other trials might show: the 90th percentile of redrawn trials (bootstrap, 90 % of the draws). */
function tellSpread(): void {
  const random = new Random(1);
  const highs = Array.from({ length: 1000 }, () => {
    const drawn = unseen.flatMap(() => unseen[random.below(unseen.length)] ?? []);
    return figuresOf(drawn.filter(({ run }) => !run.isHostBound)).high;
  }).sort((a, b) => a - b);
  const [low = 0, high = 0] = [highs[50], highs[949]].map((part) => 100 * (part ?? 0));
  console.log(
    `device or link, 90th percentile in other draws of these trials: ${low.toFixed(1)} to ${high.toFixed(1)} %`,
  );
}

function tellWorst(judged: readonly Judged[]): void {
  const sorted = [...judged].sort((a, b) => Math.abs(b.error) - Math.abs(a.error));
  for (const { run, error } of sorted.slice(0, worst)) {
    console.log(`  ${run.id}: ${(100 * error).toFixed(1)} % of ${(run.makespanNs / 1000).toFixed(1)} µs`);
    for (const { name, ns, worst: row } of errorParts(run, shipped).slice(0, 3))
      console.log(`    ${name} ${(ns / 1000).toFixed(1)} µs, most of all ${row}`);
  }
}
