/** `copyscope sweep`: runs every point of a sweep, and prints a figure for each. */
import { join } from 'node:path';
import { CopyscopeError, toErrorInfo } from '../../../core/errors.ts';
import { maxExperimentCharacters } from '../../../core/experiment/parse.ts';
import type { EngineKind } from '../../../core/program/engineKind.ts';
import { requireSweep } from '../../../core/sweep/parse.ts';
import type { SweepPlan } from '../../../core/sweep/plan.ts';
import { type PointResults, sweepResults } from '../../../core/sweep/results.ts';
import { readBoundedText, writeWhole } from '../../service/files.ts';
import { type PointResult, runPoints } from '../../service/sweepPoints.ts';
import { exitCodeOf, exitCodes } from '../exitCodes.ts';
import type { Terminal } from '../io.ts';
import { clearLine } from '../legible.ts';
import { drawSweep } from '../render/sweep.ts';
import { type RunOptions, type Tools, withEngine } from './run.ts';

export type SweepOptions = Omit<RunOptions, 'out'> & {
  /** A folder for the run of each point. */
  readonly out?: string | undefined;
};

/** Rejects, after printing, with `run.cancelled`; with `sweep.failed-points` where a point failed, or `sweep.invalid` where all are bad input. */
export async function sweep(tools: Tools, file: string, options: SweepOptions): Promise<void> {
  const { terminal } = tools.context;
  const plan = requireSweep(await readBoundedText(file, maxExperimentCharacters));
  const settings = await withEngine(tools, options);
  const createdAt = new Date().toISOString();
  const { outcomes, device, failure } = await runAll(tools, plan, settings, options.out);
  const facts = {
    createdAt,
    engine: settings.engine,
    origin: settings.engine === 'sim' ? ('simulated' as const) : ('measured' as const),
    device,
    status: failure === null ? ('complete' as const) : ('cancelled' as const),
  };
  const results = sweepResults(plan, facts, outcomes);
  const text = options.json ? JSON.stringify(results, null, 2) : drawSweep(results, plan, terminal.colors).join('\n');
  if (outcomes.length > 0) terminal.out(`${text}\n`);
  if (failure !== null) throw failure;
  requireAllDone(results.points, plan);
}

interface Ran {
  readonly outcomes: readonly Omit<PointResults, 'values'>[];
  readonly device: string;
  /** What ended it before its last point. */
  readonly failure: unknown;
}

async function runAll(
  { context, engine, assets }: Tools,
  plan: SweepPlan,
  settings: {
    readonly engine: EngineKind;
    readonly profile?: string | undefined;
    readonly iterations?: number | undefined;
  },
  out: string | undefined,
): Promise<Ran> {
  const progress = pointLine(context.terminal, plan);
  const outcomes: Omit<PointResults, 'values'>[] = [];
  let device = settings.profile ?? settings.engine;
  const points = Array.from({ length: plan.count }, (_, point) => point);
  try {
    progress.show(0);
    for await (const result of runPoints(plan, points, settings, { engine, assets, signal: context.signal })) {
      if (result.status === 'done') device = result.info.device?.name ?? result.info.machine?.cpu ?? device;
      outcomes.push(await kept(result, out));
      progress.show(result.point + 1);
    }
    return { outcomes, device, failure: null };
  } catch (failure) {
    return { outcomes, device, failure };
  } finally {
    progress.clear();
  }
}

/** Without the run, which is written to its file where that was asked for. */
async function kept(result: PointResult, out: string | undefined): Promise<Omit<PointResults, 'values'>> {
  const { point } = result;
  if (result.status === 'failed') return { point, status: 'failed', error: result.error };
  if (out !== undefined) await writeWhole(join(out, `${String(point).padStart(4, '0')}.arrow`), result.file);
  const { makespanInterval = null, bandwidthIntervals = null } = result.info;
  return { point, status: 'done', figures: result.figures, makespanInterval, bandwidthIntervals };
}

function requireAllDone(points: readonly PointResults[], { count }: SweepPlan): void {
  const failed = points.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (first === undefined) return;
  const { message, remedy } = first.error ?? toErrorInfo('no reason given.');
  const isBadInput = ({ error }: PointResults): boolean =>
    error !== undefined && exitCodeOf(error) === exitCodes.badInput;
  // Nothing was run, and nothing will be: what is wrong is what was given.
  if (failed.length === count && failed.every(isBadInput)) {
    const invalid = { code: 'sweep.invalid', message: `No point could be run, the first because ${message}` };
    throw new CopyscopeError({ ...invalid, remedy: remedy ?? 'Check the values of the axes.' });
  }
  throw new CopyscopeError({
    code: 'sweep.failed-points',
    message: `${failed.length} of ${count} points failed, the first because ${message}`,
    remedy: remedy ?? 'The others are above.',
  });
}

function pointLine({ animated, err }: Terminal, plan: SweepPlan) {
  if (!animated) return { show: () => {}, clear: () => {} };
  return {
    show: (done: number) => err(`${clearLine}${done}/${plan.count}${done < plan.count ? ` ${plan.nameOf(done)}` : ''}`),
    clear: () => err(clearLine),
  };
}
