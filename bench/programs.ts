/**
 * Judges what Copyscope says first about programs on real libraries, and the gains that it predicts, by step times that
 * were measured on an H200 without a profiler: node bench/run.mjs programs [FOLDER] [--all] [--only TEXT].
 * FOLDER holds truths.json and traces, as bench/gpu/programs writes them; the packed ones in test/fixtures if left out.
 * The names' hashes part the programs: single results of those kept back are printed only with --all, so that a rule
 * tuned to the others is judged by programs that it wasn't made for.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar';
import { type RemedyAnswer, type TraceAnswers, traceAnswers } from '../core/lift/answers.ts';
import { isChangeWord } from '../core/lift/changes/words.ts';
import { profileCosts } from '../core/machine/cost/profileCosts.ts';
import { parseProfile } from '../core/machine/profile/profile.ts';
import { importTraceFile } from '../host/library/importTrace.ts';

interface Times {
  readonly ns: number;
  readonly lowNs: number;
  readonly highNs: number;
}

interface Fix extends Times {
  readonly name: string;
  readonly changes: readonly string[];
}

interface Program {
  readonly name: string;
  readonly about: string;
  readonly class: string;
  /** Any of these is right as the first advice; "nothing" if the step has nothing to gain. */
  readonly advice: readonly string[];
  readonly base: Times;
  readonly fixes: readonly Fix[];
}

interface Gain {
  readonly fix: string;
  readonly truth: number;
  /** Null for a change that Copyscope doesn't know. */
  readonly told: RemedyAnswer | null;
}

interface Judged {
  readonly program: Program;
  readonly first: string;
  readonly firstGain: number;
  readonly isRight: boolean;
  readonly gains: readonly Gain[];
  /** The predicted step without a profiler over the measured one, minus 1. */
  readonly plainOff: number;
  readonly error: string | null;
}

/** A first advice with less gain doesn't count. */
const leastGain = 0.02;
const alarmGain = 0.05;

const args = process.argv.slice(2);
const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '') : '';
const given = args[0]?.startsWith('--') === false ? args[0] : undefined;
const costs = profileCosts(parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8'))));
const isKeptBack = (name: string): boolean => (createHash('sha256').update(name).digest()[0] ?? 0) % 2 === 1;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const unpacked = given === undefined ? mkdtempSync(join(tmpdir(), 'copyscope-programs-')) : null;
try {
  if (unpacked !== null) await extract({ file: 'test/fixtures/programs-h200.tar.gz', cwd: unpacked });
  await judgeAll(given ?? unpacked ?? '');
} finally {
  if (unpacked !== null) rmSync(unpacked, { recursive: true });
}

async function judgeAll(folder: string): Promise<void> {
  const { programs } = JSON.parse(readFileSync(join(folder, 'truths.json'), 'utf8')) as { programs: Program[] };
  const judged: Judged[] = [];
  console.log(
    '| Program | Class | First advice | Right | Change | Predicted gain | Truth | Holds |\n|---|---|---|---|---|---|---|---|',
  );
  for (const program of programs) {
    if (!program.name.includes(only)) continue;
    const one = await judge(folder, program);
    judged.push(one);
    if (!isKeptBack(program.name) || args.includes('--all')) for (const line of rows(one)) console.log(line);
  }
  const [seen, kept] = [false, true].map((back) => judged.filter(({ program }) => isKeptBack(program.name) === back));
  summarise('Seen', seen ?? []);
  summarise('Kept back', kept ?? []);
  summarise('All', judged);
}

async function judge(folder: string, program: Program): Promise<Judged> {
  try {
    const run = await importTraceFile(join(folder, `${program.name}.base.json.gz`), '0');
    const answers = traceAnswers(run, costs);
    const gains = program.fixes.map((fix): Gain => {
      const known = fix.changes.filter(isChangeWord);
      const isKnown = known.length === fix.changes.length && known.length > 0;
      const told = isKnown ? traceAnswers(run, costs, { tried: known }).tried : null;
      return { fix: `${fix.name} (${fix.changes.join(', ')})`, truth: 1 - fix.ns / program.base.ns, told };
    });
    const { first, firstGain } = firstOf(answers);
    const plainOff = answers.steps.unprofiledNs / program.base.ns - 1;
    return { program, first, firstGain, isRight: program.advice.includes(first), gains, plainOff, error: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { program, first: 'failed', firstGain: 0, isRight: false, gains: [], plainOff: Number.NaN, error: message };
  }
}

/** The plan's first step; no change that may gain nothing is one. */
function firstOf({ planSteps: [first], plan }: TraceAnswers): { readonly first: string; readonly firstGain: number } {
  const gain = plan.find(({ mayGainNothing }) => !mayGainNothing)?.gainShare ?? 0;
  return first === undefined || gain < leastGain
    ? { first: 'nothing', firstGain: 0 }
    : { first: first.adds[0] ?? 'nothing', firstGain: gain };
}

function holds({ told, truth }: Gain): boolean {
  return told !== null && told.lowShare <= truth && truth <= told.highShare;
}

function rows({ program, first, firstGain, isRight, gains, error }: Judged): string[] {
  const told = error === null ? `${first}${firstGain > 0 ? ` ${percent(firstGain)}` : ''}` : error;
  const head = `| ${program.name} | ${program.class} | ${told} | ${isRight ? 'yes' : `**no**: ${program.advice.join(', ')}`}`;
  if (gains.length === 0) return [`${head} | | | | |`];
  return gains.map((gain, index) => {
    const predicted =
      gain.told === null
        ? 'unknown'
        : `${percent(gain.told.gainShare)} (${percent(gain.told.lowShare)} to ${percent(gain.told.highShare)})`;
    const hold = gain.told === null ? '' : holds(gain) ? 'yes' : '**no**';
    return `${index === 0 ? head : '| | | |'} | ${gain.fix} | ${predicted} | ${percent(gain.truth)} | ${hold} |`;
  });
}

function summarise(title: string, judged: readonly Judged[]): void {
  const of = (part: number, all: number): string => `${part} of ${all}${all > 0 ? ` (${percent(part / all)})` : ''}`;
  const gains = judged.flatMap((one) => one.gains).filter(({ fix }) => !fix.endsWith('()'));
  const told = gains.flatMap(({ told: remedy, truth }) => (remedy === null ? [] : [{ remedy, truth }]));
  const offs = told.map(({ remedy, truth }) => Math.abs(remedy.gainShare - truth)).sort((a, b) => a - b);
  const at = (part: number): string => {
    const value = offs[Math.min(offs.length - 1, Math.floor(part * offs.length))];
    return value === undefined ? 'none' : (100 * value).toFixed(1);
  };
  const clear = told.filter(({ truth }) => Math.abs(truth) > 0.05);
  const wrongSigns = clear.filter(({ remedy, truth }) => Math.sign(remedy.gainShare) !== Math.sign(truth));
  const quiet = judged.filter(({ program }) => program.advice.includes('nothing'));
  const alarms = quiet.filter(({ firstGain }) => firstGain > alarmGain);
  const plains = judged
    .map(({ plainOff }) => Math.abs(plainOff))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  console.log(`\n${title}: ${judged.length} programs, ${judged.filter(({ error }) => error !== null).length} failed`);
  console.log(`  first advice right: ${of(judged.filter(({ isRight }) => isRight).length, judged.length)}`);
  console.log(`  gains: ${told.length} predicted, ${gains.length - told.length} of changes that aren't known`);
  console.log(`  gain off, in points: median ${at(0.5)}, 90th percentile ${at(0.9)}`);
  console.log(`  interval holds the truth: ${of(gains.filter(holds).length, told.length)}`);
  console.log(`  sign wrong where the truth is beyond 5 %: ${of(wrongSigns.length, clear.length)}`);
  console.log(`  false alarms, over 5 % predicted without a true gain: ${of(alarms.length, quiet.length)}`);
  const middle = plains[Math.floor(plains.length / 2)];
  console.log(`  step without a profiler off: median ${middle === undefined ? 'none' : percent(middle)}`);
}
