/**
 * Compiles and runs the programs that are written of 100 experiments, in both languages, and holds their times against the
 * executor's own in the same session: node dist/gpu/codeRuns.js [SEED] [SECONDS] [COUNT]. Needs nvcc and python3 with PyTorch;
 * what is missing, and what had no time left, is said to be not measured. Figures go to $OUT/code.json.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toErrorInfo } from '../../../core/errors.ts';
import { type CodeLanguage, codeOf } from '../../../core/export/code/code.ts';
import { median } from '../../../core/statistics.ts';
import { example, report, runOnGpu } from '../support.ts';
import { librarySubjects, randomSubjects, type Subject } from './subjects.ts';

const run = promisify(execFile);
const [seed = 20_261_130, seconds = 330, count = 100] = process.argv.slice(2).map(Number);
const within = 0.05;
const wanted = 0.95;
const endsAt = performance.now() + seconds * 1000;
const leftMs = (): number => endsAt - performance.now();
const folder = join(process.env['OUT'] ?? 'dist/gpu/out', 'code');
mkdirSync(folder, { recursive: true });

interface Outcome {
  /** Median of the iterations, in milliseconds. */
  readonly ms: number | null;
  /** Why there is none, or what the program said. */
  readonly said: string;
}

interface Row {
  readonly id: string;
  readonly isLibrary: boolean;
  executor: Outcome;
  readonly programs: Partial<Record<CodeLanguage, Outcome>>;
  /** What the languages can't say as the experiment does. */
  readonly notes: Readonly<Record<CodeLanguage, readonly string[]>>;
}

const notMeasured = (said: string): Outcome => ({ ms: null, said });
const noTime = notMeasured('no time left');

const subjects: readonly (Subject & { readonly isLibrary: boolean })[] = [
  ...randomSubjects(seed, count).map((one) => ({ ...one, isLibrary: false })),
  ...librarySubjects.map((one) => ({ ...one, isLibrary: true })),
];
const rows: Row[] = subjects.map(({ id, experiment, isLibrary }) => {
  const [cuda, pytorch] = [codeOf(experiment, 'cuda'), codeOf(experiment, 'pytorch')];
  writeFileSync(join(folder, `${id}.cu`), cuda.text);
  writeFileSync(join(folder, `${id}.py`), pytorch.text);
  const texts = (code: typeof cuda): string[] => [...new Set(code.notes.map(({ text }) => text))];
  return { id, isLibrary, executor: noTime, programs: {}, notes: { cuda: texts(cuda), pytorch: texts(pytorch) } };
});

const startedAt = performance.now();
await compileAll();
// The clocks of a GPU that has just been idle are low, and the first run makes the context.
await runOnGpu(example('verdicts/same-stream'));
for (const [index, row] of rows.entries()) await measure(row, subjects[index] as Subject);
await runPyTorch();
tell();

async function compileAll(): Promise<void> {
  if (spawnSync('nvcc', ['--version']).status !== 0) {
    for (const row of rows) row.programs.cuda = notMeasured('nvcc is not there');
    return;
  }
  const waiting = [...rows];
  const next = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await compile(row);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  console.log(`compiled in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function compile(row: Row): Promise<void> {
  const base = join(folder, row.id);
  const [include, libraries] = [process.env['CUDA_MATH_INCLUDE'], process.env['CUDA_MATH_LIB']];
  const places = [
    ...(include === undefined ? [] : ['-I', include]),
    ...(libraries === undefined ? [] : ['-L', libraries]),
  ];
  const linked = row.isLibrary ? [...places, '-lcublas', '-lcufft'] : [];
  const args = ['-std=c++17', '-O3', '-arch=native', '-o', base, `${base}.cu`, ...linked];
  try {
    await run('nvcc', args, { timeout: Math.max(1, Math.round(leftMs())) });
  } catch (error) {
    row.programs.cuda = notMeasured(`does not compile: ${lastLines(error)}`);
  }
}

/** The executor and the CUDA program, one right after the other. */
async function measure(row: Row, { experiment }: Subject): Promise<void> {
  // What is left is for PyTorch's programs.
  if (leftMs() < 40_000) return;
  try {
    const { info } = await runOnGpu(experiment, { signal: AbortSignal.timeout(15_000) });
    const { bytesWrong, bytesChecked } = info.verification;
    row.executor = {
      ms: median([...info.iterations.plainWallNs]) / 1e6,
      said: bytesWrong > 0 ? `${bytesWrong} of ${bytesChecked} bytes are wrong` : `${bytesChecked} bytes are right`,
    };
  } catch (error) {
    row.executor = notMeasured(toErrorInfo(error).message);
    return;
  }
  if (row.programs.cuda !== undefined) return;
  try {
    const { stdout } = await run(join(folder, row.id), [], { timeout: 20_000 });
    row.programs.cuda = timesOf(stdout);
  } catch (error) {
    row.programs.cuda = notMeasured(`fails: ${lastLines(error)}`);
  }
}

/** All in one process, since importing PyTorch takes seconds. */
async function runPyTorch(): Promise<void> {
  const measured = rows.filter(({ executor }) => executor.ms !== null);
  const driver = join('test/gpu/code/run_programs.py');
  const files = measured.map(({ id }) => join(folder, `${id}.py`));
  let said = '';
  try {
    said = (await run('python3', [driver, `${Math.max(1, leftMs() / 1000 - 5)}`, ...files], { maxBuffer: 2 ** 26 }))
      .stdout;
  } catch (error) {
    said = (error as { stdout?: string }).stdout ?? '';
    console.log(`PyTorch's programs ended early: ${lastLines(error)}`);
  }
  const outcomes = new Map(
    said.split('\n').flatMap((line) => {
      if (!line.startsWith('{')) return [];
      const { file, output, error } = JSON.parse(line) as { file: string; output: string; error: string | null };
      return [[file, error === null ? timesOf(output) : notMeasured(`fails: ${error}\n${output}`)] as const];
    }),
  );
  for (const [index, row] of measured.entries()) row.programs.pytorch = outcomes.get(files[index] ?? '') ?? noTime;
}

function timesOf(output: string): Outcome {
  const times = [...output.matchAll(/^([\d.]+) ms$/gm)].map(([, ms]) => Number(ms));
  return times.length === 0
    ? notMeasured(`says no times: ${output.slice(-300)}`)
    : { ms: median(times), said: output.slice(-300) };
}

function lastLines(error: unknown): string {
  const { stderr = '', stdout = '', message = '' } = error as { stderr?: string; stdout?: string; message?: string };
  return `${stderr}${stdout}`.trim().slice(-400) || message.slice(0, 400);
}

/** Programs that say all that the experiment does are held to the bound; of others it is told how far they are. */
function tell(): void {
  for (const language of ['cuda', 'pytorch'] as const) {
    const ratios = rows.flatMap((row) => {
      const [own, other] = [row.executor.ms, row.programs[language]?.ms];
      if (own === null || other === null || other === undefined || row.isLibrary) return [];
      return [{ id: row.id, ratio: other / own, ms: own, isWhole: row.notes[language].length === 0 }];
    });
    const near = (list: typeof ratios): number => list.filter(({ ratio }) => Math.abs(ratio - 1) <= within).length;
    const whole = ratios.filter(({ isWhole }) => isWhole);
    const failed = rows.filter(({ programs }) => programs[language]?.ms == null);
    say(
      `Programs in ${language}: ${near(ratios)} of ${ratios.length} within ${within * 100} % of the executor (at least ${wanted * 100} %); ` +
        `of those that say all, ${near(whole)} of ${whole.length}; ${failed.length} without a time`,
    );
    for (const { id, programs } of failed)
      say(`  no time: ${id}: ${(programs[language] ?? noTime).said.split('\n').slice(-2).join(' ').slice(0, 200)}`);
    const far = ratios.filter(({ ratio }) => Math.abs(ratio - 1) > within).sort((a, b) => b.ratio - a.ratio);
    for (const { id, ratio, ms, isWhole } of far) {
      say(`  ${ratio.toFixed(2)} times ${ms.toFixed(3)} ms: ${id}${isWhole ? '' : ' (with notes)'}`);
    }
  }
  for (const { id, isLibrary, executor, programs } of rows) {
    if (!isLibrary) continue;
    const ms = (outcome: Outcome | undefined): string => (outcome?.ms == null ? '-' : outcome.ms.toFixed(3));
    say(
      `  ${id}: executor ${ms(executor)} ms (${executor.said}), CUDA ${ms(programs.cuda)}, PyTorch ${ms(programs.pytorch)}`,
    );
  }
  writeFileSync(join(folder, '../code.json'), JSON.stringify(rows, null, 1));
  say(`all of it took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

function say(line: string): void {
  console.log(line);
  report(line);
}
