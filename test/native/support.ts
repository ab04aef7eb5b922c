/** Programs for the tests, and rows of their traces by name. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { describeError } from '../../core/errors.ts';
import type { ExperimentInput } from '../../core/experiment/experiment.ts';
import { parseExperiment } from '../../core/experiment/parse.ts';
import type { EngineRequest, RunHooks } from '../../core/program/engine.ts';
import { lower } from '../../core/program/lower.ts';
import type { Program } from '../../core/program/program.ts';
import type { Run } from '../../core/trace/run.ts';
import { rowKinds } from '../../core/trace/trace.ts';
import { loadNative } from '../../native/index.ts';

export const ms = 1_000_000;

const works = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0;
const problem = loadNative()
  .report()
  .engines.find(({ kind }) => kind === 'cpu')?.problem;
const buildable = process.platform === 'win32' || (works('c++') && works('cmake'));
/** Reason that the native engines can't be tested here; null if they can. An addon that could be built must exist. */
const reason = problem?.code === 'native.not-built' && !buildable ? problem.message : null;

/** Describes tests that need the addon, skipped with the reason if there is none and none can be built. */
export function describeNative(name: string, body: () => void): void {
  describe.skipIf(reason !== null)(reason === null ? name : `${name} (skipped: ${reason})`, body);
}

type Threads = ExperimentInput['threads'];
type Document = Partial<Omit<ExperimentInput, 'format' | 'version'>> & { operations?: Threads[number]['operations'] };

/** Returns a request for an experiment, whose `operations` are those of its one host thread. */
export const request = ({ operations = [], ...document }: Document): EngineRequest =>
  parsed({
    ...{ format: 'copyscope/experiment', version: 1, name: 'test', threads: [{ id: 'main', operations }] },
    ...document,
  });

function parsed(json: unknown): EngineRequest {
  const result = parseExperiment(json);
  if (!result.ok) throw new Error(result.problems.map(describeError).join('\n'));
  return { experiment: result.experiment, program: lower(result.experiment) };
}

export function example(name: string): EngineRequest {
  const path = new URL(`../../assets/examples/overlap/${name}.json`, import.meta.url);
  return parsed(JSON.parse(readFileSync(path, 'utf8')));
}

export const runOnCpu = (wanted: EngineRequest, hooks?: RunHooks): Promise<Run> =>
  loadNative().engine('cpu').run(wanted, hooks);

/** One iteration without a warm-up. */
export const once = { iterations: 1, warmups: 0 };

export interface RowView {
  readonly kind: string;
  readonly name: string;
  readonly lane: string;
  readonly engine: string | null;
  readonly op: number;
  readonly correlation: number;
  readonly iteration: number;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
}

/** Returns every row of a small trace as an object. */
export function rowsOf({ trace }: Run): RowView[] {
  const { columns, lanes, names } = trace;
  return Array.from({ length: trace.count }, (_, row) => {
    const at = (column: ArrayLike<number>): number => column[row] ?? Number.NaN;
    return {
      kind: rowKinds[at(columns.kind)] ?? '',
      name: names[at(columns.name)] ?? '',
      lane: lanes[at(columns.lane)]?.id ?? '',
      engine: lanes[at(columns.engine)]?.id ?? null,
      op: at(columns.op),
      correlation: at(columns.correlation),
      iteration: at(columns.iteration),
      start: at(columns.startNs),
      end: at(columns.startNs) + at(columns.durationNs),
      bytes: at(columns.bytes),
    };
  });
}

/** Returns the only row of an operation with this kind. */
export function rowOf(run: Run, op: number, kind: string): RowView {
  const found = rowsOf(run).filter((row) => row.op === op && row.kind === kind && row.iteration === 0);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`operation ${op} has ${found.length} ${kind} rows`);
  return only;
}

export const withProgram = (wanted: EngineRequest, change: Partial<Program>): EngineRequest => ({
  ...wanted,
  program: { ...wanted.program, ...change },
});
