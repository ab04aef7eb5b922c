/**
 * Runs the programs exported from 100 experiments, in both languages, and compares their times with the executor's in
 * the same session: node dist/gpu/codeRuns.js [SEED] [SECONDS] [COUNT]. An experiment and its CUDA program run in turn,
 * several times, because the machine's state affects single runs. Programs may deviate at least as much as every second
 * run of the executor differs from its others. Then PyTorch's programs run, all in one process. Programs compiled by
 * compilePrograms.ts are reused; the rest needs nvcc, and PyTorch's programs need python3 with PyTorch. Whatever is
 * missing or had no time is reported as not measured. Figures go to $OUT/code.json.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CodeLanguage, codeOf } from '../../../core/code/code.ts';
import { toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { median } from '../../../core/statistics.ts';
import { example, report, runOnGpu } from '../../../test/gpu/support.ts';
import { compileAll, lastLines, unpackCompiled, writeProgram } from './programs.ts';
import { PyTorchPrograms } from './pytorchPrograms.ts';
import { defaultSeed, librarySubjects, randomSubjects, type Subject } from './subjects.ts';

const run = promisify(execFile);
const [seed = defaultSeed, seconds = 330, count = 100] = process.argv.slice(2).map(Number);
const within = 0.05;
const wanted = 0.95;
/** Times that an experiment's program runs, each between two runs of the executor. */
const rounds = 3;
/** One that hangs must not cost the others their time. */
const mostMsForOne = 15_000;
/** Lines of each list in the table; code.json has all of them. */
const mostLines = 12;
const endsAt = performance.now() + seconds * 1000;
const leftMs = (): number => endsAt - performance.now();
const timeout = (): number => Math.max(1, Math.round(Math.min(mostMsForOne, leftMs())));
const isTimeLeft = (): boolean => leftMs() > 3000;
const out = process.env['OUT'] ?? 'dist/gpu/out';
const folder = mkdtempSync(join(tmpdir(), 'copyscope-code-'));

interface Outcome {
  /** Median of the iterations, in milliseconds. */
  readonly ms: number | null;
  /** Why there is none, or what the program said. */
  readonly said: string;
}

interface Row extends Subject {
  readonly isLibrary: boolean;
  executor: Outcome;
  /** Time of every second run of the executor, relative to its other runs; null if not measured. */
  again: number | null;
  readonly programs: Record<CodeLanguage, Outcome>;
  /** Differences that the languages can't avoid. */
  readonly notes: Readonly<Record<CodeLanguage, readonly string[]>>;
}

const notMeasured = (said: string): Outcome => ({ ms: null, said });
const noTime = notMeasured('no time left');

const subjects: readonly (Subject & { readonly isLibrary: boolean })[] = [
  ...randomSubjects(seed, count).map((one) => ({ ...one, isLibrary: false })),
  ...librarySubjects.map((one) => ({ ...one, isLibrary: true })),
];
const startedAt = performance.now();
const pytorch = new PyTorchPrograms();
pytorch.start();
unpackCompiled(folder);
const toCompile: (typeof subjects)[number][] = [];
const rows = subjects.map((subject): Row => {
  const { id, experiment } = subject;
  const code = { cuda: codeOf(experiment, 'cuda'), pytorch: codeOf(experiment, 'pytorch') };
  if (!writeProgram(folder, id, code.cuda.text)) toCompile.push(subject);
  writeFileSync(join(folder, `${id}.py`), code.pytorch.text);
  const notes = (language: CodeLanguage): string[] => [...new Set(code[language].notes.map(({ text }) => text))];
  const [cuda, pytorch] = [notes('cuda'), notes('pytorch')];
  return {
    ...subject,
    executor: noTime,
    again: null,
    programs: { cuda: noTime, pytorch: noTime },
    notes: { cuda, pytorch },
  };
});
const compiling = { folder, arch: 'native', leftMs };
try {
  const random = rows.filter(({ isLibrary }) => !isLibrary);
  const failed = await compileAll(
    toCompile.filter(({ isLibrary }) => !isLibrary),
    compiling,
  );
  const here = random.length - failed.size;
  say(`${here} of ${random.length} programs are compiled at ${sinceStart()} s`);
  // The clocks of a GPU that has just been idle are low, and the first run makes the context.
  await runOnGpu(example('verdicts/same-stream'));
  for (const row of random) if (isTimeLeft()) await measure(row, failed);
  say(`CUDA's programs have run at ${sinceStart()} s`);
  const version = await pytorch.ready();
  say(version === null ? 'PyTorch could not begin' : `PyTorch ${version}`);
  for (const row of random) if (isTimeLeft()) await measurePyTorch(row);
  say(`PyTorch's programs have run at ${sinceStart()} s`);
  // Those of libraries have a section of their own, and are compiled only where there is time for them.
  if (leftMs() > mostMsForOne) await measureLibraries(rows.filter(({ isLibrary }) => isLibrary));
} finally {
  pytorch.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
tell();

async function measureLibraries(libraries: readonly Row[]): Promise<void> {
  const failed = await compileAll(
    toCompile.filter(({ isLibrary }) => isLibrary),
    compiling,
  );
  for (const row of libraries) {
    if (!isTimeLeft()) return;
    await measure(row, failed);
    await measurePyTorch(row);
  }
}

/** The executor and the CUDA program in turn; the executor is first and last. */
async function measure(row: Row, failed: ReadonlyMap<string, string>): Promise<void> {
  const executed = [await executorTimes(row.experiment)];
  row.executor = middleOf(executed);
  if (row.executor.ms === null) {
    row.programs.cuda = row.programs.pytorch = notMeasured(`not run: the executor says: ${row.executor.said}`);
    return;
  }
  const reason = failed.get(row.id);
  const ran: Outcome[] = reason === undefined ? [] : [notMeasured(reason)];
  for (let round = 0; round < rounds; round += 1) {
    if (reason === undefined) ran.push(await cudaTimes(row.id));
    executed.push(await executorTimes(row.experiment));
  }
  row.executor = middleOf(executed);
  row.programs.cuda = middleOf(ran);
  const [even, odd] = [0, 1].map((first) => middleOf(executed.filter((_, index) => index % 2 === first)).ms);
  row.again = even == null || odd == null ? null : odd / even;
}

/** The median of the runs; the first that has no time, where there is one. */
function middleOf(outcomes: readonly Outcome[]): Outcome {
  const times = outcomes.flatMap(({ ms }) => ms ?? []);
  const failed = outcomes.find(({ ms }) => ms === null);
  return failed ?? { ms: median(times), said: outcomes[0]?.said ?? '' };
}

async function executorTimes(experiment: Experiment): Promise<Outcome> {
  try {
    const { info } = await runOnGpu(experiment, { signal: AbortSignal.timeout(timeout()) });
    const { bytesWrong, bytesChecked } = info.verification;
    return {
      ms: median([...info.iterations.plainWallNs]) / 1e6,
      said: bytesWrong > 0 ? `${bytesWrong} of ${bytesChecked} bytes are wrong` : `${bytesChecked} bytes are right`,
    };
  } catch (error) {
    return notMeasured(toErrorInfo(error).message);
  }
}

async function measurePyTorch(row: Row): Promise<void> {
  if (row.executor.ms === null) return;
  const { output, error } = await pytorch.run(join(folder, `${row.id}.py`), timeout());
  row.programs.pytorch =
    error === null ? timesOf(output) : notMeasured(`fails: ${output.slice(-300)}\n${error.trim()}`);
}

async function cudaTimes(id: string): Promise<Outcome> {
  try {
    return timesOf((await run(join(folder, id), [], { timeout: timeout() })).stdout);
  } catch (error) {
    return notMeasured(`fails: ${lastLines(error)}`);
  }
}

function timesOf(output: string): Outcome {
  const times = [...output.matchAll(/^([\d.]+) ms$/gm)].map(([, ms]) => Number(ms));
  return times.length === 0
    ? notMeasured(`says no times: ${output.slice(-300)}`)
    : { ms: median(times), said: output.slice(-300) };
}

interface Ratio {
  readonly id: string;
  readonly ratio: number;
  /** Time of the executor. */
  readonly ms: number;
}

function ratiosOf(list: readonly Row[], outcome: (row: Row) => Outcome): Ratio[] {
  return list.flatMap((row) => {
    const [own, other] = [row.executor.ms, outcome(row).ms];
    return own === null || other === null || row.isLibrary ? [] : [{ id: row.id, ratio: other / own, ms: own }];
  });
}

function isNear({ ratio }: Ratio): boolean {
  return Math.abs(ratio - 1) <= within;
}

function nearOf(list: readonly Ratio[]): string {
  return `${list.filter(isNear).length} of ${list.length}`;
}

/** Prints the results. The limit applies only to programs that do everything the experiment does. */
function tell(): void {
  const again = rows.flatMap(({ id, again: ratio, executor: { ms }, isLibrary }) =>
    ratio === null || ms === null || isLibrary ? [] : [{ id, ratio, ms }],
  );
  say(`The executor's every second run: ${nearOf(again)} within ${within * 100} % of the others`);
  const steady = new Set(again.filter(isNear).map(({ id }) => id));
  for (const language of ['cuda', 'pytorch'] as const) {
    const ratios = ratiosOf(rows, (row) => row.programs[language]);
    const whole = ratiosOf(
      rows.filter(({ notes }) => notes[language].length === 0),
      (row) => row.programs[language],
    );
    const failed = rows.filter(({ programs }) => programs[language].ms === null);
    say(
      `Programs in ${language}: ${nearOf(ratios)} within ${within * 100} % of the executor (at least ${wanted * 100} %); ` +
        `of those that say all, ${nearOf(whole)}; ` +
        `where the executor was within it itself, ${nearOf(ratios.filter(({ id }) => steady.has(id)))}; ` +
        `${failed.length} without a time`,
    );
    for (const { id, programs } of failed.slice(0, mostLines))
      say(`  no time: ${id}: ${programs[language].said.split('\n').slice(-2).join(' ').slice(0, 200)}`);
    const far = ratios
      .filter((one) => !isNear(one))
      .sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
    for (const { id, ratio, ms } of far.slice(0, mostLines))
      say(`  ${ratio.toFixed(2)} times ${ms.toFixed(3)} ms: ${id}`);
  }
  for (const { id, isLibrary, executor, programs } of rows) {
    if (!isLibrary) continue;
    const ms = (outcome: Outcome): string => (outcome.ms === null ? '-' : outcome.ms.toFixed(3));
    say(
      `  ${id}: executor ${ms(executor)} ms (${executor.said}), CUDA ${ms(programs.cuda)}, PyTorch ${ms(programs.pytorch)}`,
    );
  }
  writeFileSync(
    join(out, 'code.json'),
    JSON.stringify(rows, (key, value: unknown) => (key === 'experiment' ? undefined : value), 1),
  );
  say(`all of it took ${sinceStart()} s`);
}

function sinceStart(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0);
}

function say(line: string): void {
  console.log(line);
  report(line);
}
