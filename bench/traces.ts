/**
 * Measures how well replays of real programs' traces match the traces, and predicted gains the true ones: node
 * bench/run.mjs traces [FOLDER,…] [--only TEXT] [--plan]. A folder contains FAMILY.VARIANT.json.gz and steps.json, like
 * test/fixtures/pytorch-pairs. With --table, prints the pairs as rows of bench/results.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { plannerOf } from '../core/lift/answers.ts';
import { liftTrace } from '../core/lift/fromTrace.ts';
import type { Planner, Remedy } from '../core/lift/plan.ts';
import { replay } from '../core/lift/replay.ts';
import { profileCosts } from '../core/machine/cost/profileCosts.ts';
import { parseProfile } from '../core/machine/profile/profile.ts';
import { median } from '../core/statistics.ts';
import { importTraceFile } from '../host/library/importTrace.ts';
import { type TracePair, tracePairs, tracePath, trueStepNs } from './support/tracePairs.ts';

const option = (name: string): string | undefined => {
  const place = process.argv.indexOf(name);
  return place < 0 ? undefined : process.argv[place + 1];
};
const folders = (process.argv[2]?.startsWith('--') === false ? process.argv[2] : 'test/fixtures/pytorch-pairs').split(
  ',',
);
const costs = profileCosts(parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8'))));
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8);
const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;

const told = ({ changes, gainShare, lowShare, highShare }: Remedy): string =>
  `${changes.join(', ')} ${percent(gainShare)} (${percent(lowShare)} to ${percent(highShare)})`;

interface Judged extends TracePair {
  readonly folder: string;
  readonly remedy: Remedy;
  readonly off: number;
}

const replays: number[] = [];
const plains: number[] = [];
const judged: Judged[] = [];
let [firsts, firstsRight] = [0, 0];

for (const folder of folders) await tellFolder(folder);
summarise();
if (process.argv.includes('--table')) for (const pair of judged) console.log(row(pair));

async function tellFolder(folder: string): Promise<void> {
  const only = option('--only') ?? '';
  const pairs = tracePairs(folder);
  for (const name of new Set(pairs.map(({ family, before }) => `${family}.${before}`))) {
    if (!name.includes(only)) continue;
    const own = pairs.filter(({ family, before }) => `${family}.${before}` === name);
    const [first] = own;
    if (first !== undefined) await tellTrace(folder, first.family, first.before, own);
  }
}

async function tellTrace(folder: string, family: string, before: string, pairs: readonly TracePair[]): Promise<void> {
  const { info, trace } = await importTraceFile(tracePath(folder, family, before), '0');
  const start = performance.now();
  const lifted = liftTrace(trace, `${family}.${before}`);
  const recordedNs = median(lifted.recordedNs.slice(1));
  const replayOff = replay(lifted.script, costs).stepNs / recordedNs - 1;
  const planner = plannerOf(lifted, info, costs);
  const { remedies, unprofiledNs } = planner.plan();
  const plainOff = unprofiledNs / trueStepNs(folder, family, before) - 1;
  replays.push(Math.abs(replayOff));
  plains.push(Math.abs(plainOff));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${family}.${before}: replay ${percent(replayOff)}, unprofiled step ${percent(plainOff)}, ${seconds} s`);
  if (process.argv.includes('--plan')) for (const remedy of remedies) console.log(`    plan: ${told(remedy)}`);
  for (const pair of pairs) judge(basename(folder), pair, planner);
  judgeFirst(pairs, planner);
}

function judge(folder: string, pair: TracePair, planner: Planner): void {
  const remedy = planner.tried(pair.changes);
  const off = remedy.gainShare - pair.trueShare;
  judged.push({ ...pair, folder, remedy, off });
  console.log(`  ${pair.after}: truth ${percent(pair.trueShare)}, ${told(remedy)}, off ${percent(off)}`);
}

/** Of the recorded changes, does the one that is predicted to gain most gain most? Within 3 points either will do. */
function judgeFirst(pairs: readonly TracePair[], planner: Planner): void {
  if (pairs.length < 2) return;
  const best = Math.max(...pairs.map(({ trueShare }) => trueShare));
  const chosen = [...pairs].sort((a, b) => planner.tried(b.changes).gainShare - planner.tried(a.changes).gainShare)[0];
  firsts += 1;
  if (chosen !== undefined && chosen.trueShare >= best - 0.03) firstsRight += 1;
}

/** Gains in percent of the unprofiled step. */
function row({ folder, family, before, after, changes, trueShare, remedy, off }: Judged): string {
  const [truth, gain, low, high, apart] = [trueShare, remedy.gainShare, remedy.lowShare, remedy.highShare, off].map(
    (share) => (100 * share).toFixed(1),
  );
  const isHeld = remedy.lowShare <= trueShare && trueShare <= remedy.highShare;
  const cells = [folder, `${family}.${before}`, after, changes.join(', '), truth, gain, `${low} to ${high}`, apart];
  return `| ${cells.join(' | ')} | ${isHeld ? 'yes' : '**no**'} |`;
}

function summarise(): void {
  const sorted = (list: readonly number[]): number[] => [...list].sort((a, b) => a - b);
  const offs = sorted(judged.map(({ off }) => Math.abs(off)));
  const telling = judged.filter(({ trueShare }) => Math.abs(trueShare) > 0.03);
  const signs = telling.filter(({ trueShare, remedy }) => Math.sign(trueShare) === Math.sign(remedy.gainShare)).length;
  const held = judged.filter(({ trueShare, remedy }) => remedy.lowShare <= trueShare && trueShare <= remedy.highShare);
  console.log(`replay off: median ${percent(median(replays))}, 90th percentile ${percent(at(sorted(replays), 0.9))}`);
  console.log(
    `unprofiled step off: median ${percent(median(plains))}, 90th percentile ${percent(at(sorted(plains), 0.9))}`,
  );
  console.log(
    `${judged.length} pairs, gain off: median ${percent(median(offs))}, 90th percentile ${percent(at(offs, 0.9))}`,
  );
  console.log(`sign right ${signs} of ${telling.length}; interval holds the truth ${held.length} of ${judged.length}`);
  console.log(`the first remedy gains most: ${firstsRight} of ${firsts}`);
}
