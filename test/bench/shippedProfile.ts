/**
 * Writes the profile that ships as h200: node test/bench/run.mjs shippedProfile. What H200 machines measured, and the
 * constants that its sources name (test/fixtures/h200-machines.json), fitted to all recorded runs at hand, of which each
 * machine counts as it does in core/calibrate/fit/machines.ts; its source tells how well it predicts machines that it has not
 * seen. The same files give the same profile, byte for byte; with --check nothing is written, and the exit code is 1 where
 * the file is another.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describeFit } from '../../core/calibrate/fit/describeFit.ts';
import { type FitErrors, fitErrors } from '../../core/calibrate/fit/errorTerms.ts';
import { parseProfile } from '../../core/simulator/profile.ts';
import { fitToMachines, readSet, sets, strangeH200s } from './support/recordedSets.ts';

const target = 'assets/profiles/h200.json';
const base = parseProfile(JSON.parse(readFileSync('test/fixtures/h200-machines.json', 'utf8')));
const runs = sets.flatMap((folder) => readSet(folder));
const machines = new Set(runs.map(({ machine }) => machine)).size;
const fitted = fitToMachines(base, runs);
const date = runs.reduce((latest, run) => (run.createdAt > latest ? run.createdAt : latest), '').slice(0, 10);
const { source, ...described } = describeFit(fitted, base, {
  ...{ name: 'h200', device: 'NVIDIA H200 machines', date, runs: runs.length },
});
const strange = strangeH200s.map((folder) => fitErrors(readSet(folder), fitted.profile));
const profile = parseProfile({
  ...described,
  source: `Several NVIDIA H200 machines (PCIe 5.0 x16, CUDA 13.0, driver 580.159.04, virtual machines) on ${date}: measured by copyscope calibrate and the project's benchmarks, then fitted to ${runs.length} recorded runs of ${machines} of them (docs/accuracy.md). Machines of this kind differ, most of all in what the host's memory does; each section says by how much. On ${strange.length} that it has not seen, half of the makespans that it predicts are off by more than ${range(strange, 'median', 1)}, one in ten by more than ${range(strange, 'high', 0)}. copyscope calibrate makes a profile of yours.`,
});
const text = `${JSON.stringify(profile, short, 2)}\n`;
const { median, high, close, overlaps } = fitErrors(runs, profile);
console.log(
  `fitted to ${runs.length} runs, ${fitted.simulations} simulations; on these, makespan error median ${(100 * median).toFixed(1)} %, 90th percentile ${(100 * high).toFixed(1)} %, overlap within 5 points in ${close} of ${overlaps}`,
);
console.log(`The fit's own words: ${source}`);
const isSame = text === readFileSync(target, 'utf8');
if (!process.argv.includes('--check')) writeFileSync(target, text);
console.log(`${target} ${isSame ? 'is what was made here' : 'was another'}`);
if (!isSame && process.argv.includes('--check')) process.exitCode = 1;

/** The least and the greatest error of some machines, in per cent with so many digits behind the point. */
function range(errors: readonly FitErrors[], which: 'median' | 'high', digits: number): string {
  const all = errors.map((one) => 100 * one[which]);
  return `${Math.min(...all).toFixed(digits)} to ${Math.max(...all).toFixed(digits)} %`;
}

/** Nothing here is known to more than five digits; where there are more before the point, all of them stay. */
function short(_key: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  return Math.abs(value) < 100 ? Number(value.toPrecision(5)) : Math.round(value);
}
