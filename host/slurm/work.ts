/** What jobs are to do: one file, which each of them reads. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type EngineKind, engineKinds } from '../../core/program/engineKind.ts';
import { mostPoints, sweepSchema } from '../../core/sweep/document.ts';
import { readShape } from './readShape.ts';

const common = {
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** What its results say of where they were made, behind the node's name; null where Slurm is this machine's own. */
  host: z.string().min(1).max(100).nullable(),
};
/** The simulator's. */
const profileSchema = z.object({ name: z.string().max(200), json: z.unknown() }).nullable();

const sweepWorkSchema = z.object({
  format: z.literal('copyscope/slurm-work'),
  ...common,
  engine: z.enum(engineKinds),
  profile: profileSchema,
  iterations: z.number().int().min(1).max(1000).nullable(),
  points: z.number().int().min(1).max(mostPoints),
  sweep: sweepSchema,
});

const calibrationSchema = z.object({
  format: z.literal('copyscope/slurm-calibration'),
  ...common,
  engine: z.enum(['cuda', 'sim']),
  profile: profileSchema,
  /** The profile that has what no experiment tells. */
  base: z.unknown(),
  quick: z.boolean(),
});

const seconds = z.number().min(0).exactOptional();
const step = z.number().int().min(1);
const recordingSchema = z.object({
  format: z.literal('copyscope/slurm-recording'),
  ...common,
  name: z.string().max(300),
  command: z.tuple([z.string().min(1).max(100_000)], z.string().max(100_000)),
  folder: z.string().max(4096),
  settings: z.object({
    light: z.boolean(),
    lines: z.boolean(),
    delayS: seconds,
    durationS: seconds,
    steps: z.array(z.object({ from: step, to: step })).exactOptional(),
    stepRange: z.string().max(1000).exactOptional(),
  }),
});

const workSchema = z.discriminatedUnion('format', [sweepWorkSchema, calibrationSchema, recordingSchema]);
export type Work = z.infer<typeof workSchema>;
export type SweepWork = z.infer<typeof sweepWorkSchema>;
export type CalibrationWork = z.infer<typeof calibrationSchema>;
export type RecordingWork = z.infer<typeof recordingSchema>;

/** Of what is done and not of when it was asked for: who asks again goes on with it. */
export function workId(work: Work): string {
  return createHash('sha256')
    .update(JSON.stringify(doneBy(work)))
    .digest('hex')
    .slice(0, 16);
}

function doneBy(work: Work): readonly unknown[] {
  switch (work.format) {
    case 'copyscope/slurm-work':
      return [work.sweep, work.engine, work.profile, work.iterations];
    case 'copyscope/slurm-calibration':
      return [work.format, work.engine, work.profile, work.base, work.quick];
    case 'copyscope/slurm-recording':
      return [work.format, work.command, work.folder, work.settings];
  }
}

/** What a person knows it by. */
export function workName(work: Work): string {
  if (work.format === 'copyscope/slurm-work') return work.sweep.name;
  return work.format === 'copyscope/slurm-calibration'
    ? 'Calibration'
    : `Recording of ${work.command.join(' ')}`.slice(0, 200);
}

/** All that is not a sweep is one job, and has one result. */
export const workPoints = (work: Work): number => (work.format === 'copyscope/slurm-work' ? work.points : 1);

/** What its jobs ask the cluster for. A program that is recorded is one that uses the GPU. */
export const workEngine = (work: Work): EngineKind =>
  work.format === 'copyscope/slurm-recording' ? 'cuda' : work.engine;

/** Of a folder's name and of jobs' names, since what is asked for comes from elsewhere. */
export const workIdPattern = /^[0-9a-f]{16}$/;

export const workText = (work: Work): string => `${JSON.stringify(work)}\n`;

/** Throws `slurm.damaged`. */
export const readWork = (text: string): Work =>
  readShape(workSchema, text, { code: 'slurm.damaged', what: 'What is to be done there' });
