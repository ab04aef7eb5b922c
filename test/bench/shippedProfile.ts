/**
 * Writes the profile that ships as h200: node test/bench/run.mjs shippedProfile. What H200 machines measured
 * (test/fixtures/h200-machines.json), fitted to all runs of the corpus and to the recorded runs that ship. The same files
 * give the same profile.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFit } from '../../core/calibrate/fit/describeFit.ts';
import { fitErrors } from '../../core/calibrate/fit/errorTerms.ts';
import { fitProfile } from '../../core/calibrate/fit/fit.ts';
import { recordedRun } from '../../core/calibrate/fit/recordedRun.ts';
import { parseProfile } from '../../core/simulator/profile.ts';
import { decodeRun } from '../../core/trace/arrow.ts';

const folders = ['test/fixtures/corpus', 'assets/runs'];
const target = 'assets/profiles/h200.json';
const base = parseProfile(JSON.parse(readFileSync('test/fixtures/h200-machines.json', 'utf8')));
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
);
const arrows = files.filter((file) => file.endsWith('.arrow')).sort();
const runs = arrows.map((file) => {
  const run = decodeRun(readFileSync(file));
  return { recorded: recordedRun(file.replace(/\.arrow$/, ''), run), date: run.info.createdAt };
});
const recorded = runs.map((run) => run.recorded);
const fitted = fitProfile(base, recorded);
const date = runs.reduce((latest, run) => (run.date > latest ? run.date : latest), '').slice(0, 10);
const { source, ...described } = describeFit(fitted, base, {
  ...{ name: 'h200', device: 'NVIDIA H200 machines', date, runs: recorded.length },
});
const profile = parseProfile({
  ...described,
  source: `Several NVIDIA H200 machines (PCIe 5.0 x16, CUDA 13.0, driver 580.159.04, virtual machines) on ${date}: measured by copyscope calibrate and the project's benchmarks, then fitted to ${recorded.length} recorded runs of two of them (docs/accuracy.md). Machines of this kind differ, most of all in what the host's memory does; each section says by how much. copyscope calibrate makes a profile of yours.`,
});
const { median, high, close, overlaps } = fitErrors(recorded, profile);
writeFileSync(target, `${JSON.stringify(profile, short, 2)}\n`);
console.log(
  `${target}: fitted to ${recorded.length} runs; on these, makespan error median ${(100 * median).toFixed(1)} %, 90th percentile ${(100 * high).toFixed(1)} %, overlap within 5 points in ${close} of ${overlaps}`,
);
console.log(`The fit's own words: ${source}`);

/** Nothing here is known to more than five digits; where there are more before the point, all of them stay. */
function short(_key: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  return Math.abs(value) < 100 ? Number(value.toPrecision(5)) : Math.round(value);
}
