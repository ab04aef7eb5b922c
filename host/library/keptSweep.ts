/** A stored sweep: `sweep.json` describes it, `points.jsonl` has a line for each point that was reached. */
import { z } from 'zod';
import { mostPoints, sweepSchema } from '../../core/apps/sweep/document.ts';
import type { Figures } from '../../core/apps/sweep/metrics.ts';
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import { linkBytesPerSecond } from '../../core/program/engine.ts';
import { engineKinds } from '../../core/program/engineKind.ts';
import { idSchema } from '../../core/service/requests.ts';
import type { SweepOutcome, SweepSummary } from '../../core/service/service.ts';
import { checkShape } from '../../core/shape/checkShape.ts';
import { parseJson } from '../../core/shape/parseJson.ts';
import { errorInfoSchema, type RunInfo, runOrigin } from '../../core/trace/run.ts';
import { lostCode } from '../slurm/jobs.ts';
import { runSummarySchema, summaryOf } from './runSummaries.ts';

const keptFormat = 'copyscope/kept-sweep';

const keptSchema = z.object({
  format: z.literal(keptFormat),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  engine: z.enum(engineKinds),
  profile: idSchema.nullable(),
  iterations: z.number().int().min(1).max(1000).nullable(),
  /** Device as far as known before the first point. */
  device: z.string().max(200),
  /** Remote machine on which an earlier version ran its points. */
  host: z.string().min(1).max(200).exactOptional(),
  points: z.number().int().min(1).max(mostPoints),
  /** True if it was imported, so that its points were not measured here. */
  imported: z.boolean().default(false),
  /** Jobs of Slurm run its points. Earlier versions named the other machine whose Slurm it was. */
  slurm: z.object({ host: z.string().max(200).nullable().exactOptional() }).exactOptional(),
  sweep: sweepSchema,
});

const runSchema = runSummarySchema.extend({ builtIn: z.literal(false), sweep: idSchema });

const spreadSchema = z.object({ median: z.number(), min: z.number(), max: z.number(), count: z.number() });

export const figuresSchema = z.record(z.string().max(60), spreadSchema.nullable());

const outcomeSchema = z.discriminatedUnion('status', [
  z.object({
    point: z.number().int().min(0).max(mostPoints),
    status: z.literal('done'),
    run: runSchema,
    figures: figuresSchema,
    linkBytesPerSecond: z.number().nullable(),
  }),
  z.object({ point: z.number().int().min(0).max(mostPoints), status: z.literal('failed'), error: errorInfoSchema }),
]);

export type DoneOutcome = Extract<SweepOutcome, { readonly status: 'done' }>;

interface DonePoint {
  readonly info: RunInfo;
  readonly figures: Figures;
  readonly madeHere: boolean;
}

type Described = Readonly<Omit<z.infer<typeof keptSchema>, 'format' | 'version'>>;

export interface KeptSweep extends Described {
  readonly id: string;
  readonly outcomes: readonly SweepOutcome[];
}

export const keptText = ({ id: _, outcomes: _o, ...kept }: KeptSweep): string =>
  `${JSON.stringify({ format: keptFormat, version: 1, ...kept }, null, 2)}\n`;

/** Throws a CopyscopeError `sweep.damaged` with the field. */
export function readKept(id: string, json: string, lines: string): KeptSweep {
  const parsed = parseJson(json);
  if (!parsed.ok) throw damaged(parsed);
  const shape = checkShape(keptSchema, parsed.json);
  if (!shape.ok) throw damaged(shape.problems[0]);
  const { format: _, version: _v, ...kept } = shape.value;
  return { id, ...kept, outcomes: outcomesIn(id, lines, kept.points) };
}

const damaged = ({ field, message, remedy }: Omit<ErrorInfo, 'code'>): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.damaged', field, message, remedy });

/** Returns the line with a leading line break, so that a line cut off by a crash damages no other. */
export const outcomeLine = (outcome: SweepOutcome): string => `\n${JSON.stringify(outcome)}`;

/** Returns the last outcome of each point. An unreadable line counts as a point that was not reached. */
function outcomesIn(id: string, lines: string, points: number): SweepOutcome[] {
  const found = new Map<number, SweepOutcome>();
  for (const line of lines.split('\n')) {
    const outcome = outcomeIn(line);
    if (outcome === null || outcome.point >= points) continue;
    found.delete(outcome.point);
    found.set(outcome.point, ofSweep(id, outcome));
  }
  return [...found.values()];
}

/** Returns null if the line is empty or unreadable. */
export function outcomeIn(line: string): SweepOutcome | null {
  if (line === '') return null;
  try {
    return outcomeSchema.parse(JSON.parse(line)) as SweepOutcome;
  } catch {
    return null;
  }
}

/** Makes the run's id from the sweep's folder, since an imported sweep may have a new id. */
const ofSweep = (id: string, outcome: SweepOutcome): SweepOutcome =>
  outcome.status === 'failed'
    ? outcome
    : { ...outcome, run: { ...outcome.run, id: sweepRunId(id, outcome.point), sweep: id } };

/** Prefix of the ids of sweeps' runs: 'sweep/20261120-054500-chunks/12' is point 12 of that sweep. */
const runPrefix = 'sweep/';

/** Returns the ids' common start, before '/' and the point's number. */
export const runsOfSweep = (id: string): string => runPrefix + id;
export const sweepRunId = (id: string, point: number): string => `${runsOfSweep(id)}/${point}`;
export const isSweepRun = (id: string): boolean => id.startsWith(runPrefix);

/** Returns the outcome of a point that succeeded, from its run. */
export function doneOutcome(id: string, point: number, { info, figures, madeHere }: DonePoint): DoneOutcome {
  const summary = summaryOf(info, { id: sweepRunId(id, point), madeHere, builtIn: false });
  const link = linkBytesPerSecond(info.device);
  return { point, status: 'done', run: { ...summary, sweep: id }, figures, linkBytesPerSecond: link };
}

/** Returns true if Slurm ended the point, not its own run. */
export const isLost = (outcome: SweepOutcome): boolean =>
  outcome.status === 'failed' && outcome.error.code === lostCode;

/** Returns true if its point should run again; `again` includes points that failed by themselves. */
export const isOpen = (outcome: SweepOutcome, again: boolean): boolean =>
  isLost(outcome) || (again && outcome.status === 'failed');

/** Returns the points of `count` that a continued sweep still runs. */
export function openPoints(count: number, outcomes: readonly SweepOutcome[], again: boolean): number[] {
  const settled = new Set(outcomes.filter((outcome) => !isOpen(outcome, again)).map(({ point }) => point));
  return Array.from({ length: count }, (_, point) => point).filter((point) => !settled.has(point));
}

export function sweepSummary(kept: KeptSweep, isRunning: boolean): SweepSummary {
  const done = kept.outcomes.filter((outcome) => outcome.status === 'done');
  const { length } = kept.outcomes;
  const host = kept.host ?? kept.slurm?.host ?? undefined;
  return {
    id: kept.id,
    name: kept.sweep.name,
    createdAt: kept.createdAt,
    engine: kept.engine,
    origin: runOrigin(kept, !kept.imported),
    device: done.length === 0 ? kept.device : devicesText(done.map(({ run }) => run)),
    ...(host === undefined ? {} : { host }),
    ...(kept.slurm === undefined ? {} : { slurm: { jobs: null } }),
    status: isRunning ? 'running' : length === kept.points ? 'complete' : 'stopped',
    points: kept.points,
    done: done.length,
    failed: length - done.length,
  };
}

interface Ran {
  readonly device: string;
  readonly host?: string;
}

/** Limit of devices named in a line; more are counted. */
const mostNamed = 3;

/** Returns 'NVIDIA H200 of node01 and NVIDIA A100 of node02', or 'NVIDIA H200 of 12 nodes'. Empty if none is known. */
function devicesText(runs: readonly Ran[]): string {
  const known = runs.filter(({ device }) => device !== '');
  const devices = [...new Set(known.map(({ device }) => device))];
  return listed(devices.length > mostNamed ? kinds(known) : devices);
}

/** Joins devices of one kind: 'NVIDIA H200 of 12 nodes'. */
function kinds(runs: readonly Ran[]): string[] {
  const found = new Map<string, Set<string>>();
  for (const run of runs) {
    const kind = kindOf(run);
    found.set(kind, (found.get(kind) ?? new Set()).add(run.device));
  }
  return [...found].map(([kind, devices]) =>
    devices.size > 1 ? `${kind} of ${devices.size} nodes` : [...devices].join(),
  );
}

const kindOf = ({ device, host }: Ran): string =>
  device.endsWith(` of ${host}`) ? device.slice(0, -` of ${host}`.length) : device;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, names.length > mostNamed ? mostNamed - 1 : -1);
  const last = names.length > mostNamed ? `${names.length - shown.length} more` : (names.at(-1) ?? '');
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}
