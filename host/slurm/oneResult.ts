/** What a job writes that calibrates or records. It comes back from elsewhere, and is checked here. */
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { type DeviceProfile, parseProfile } from '../../core/profile/profile.ts';
import { type ParameterName, parameterNames } from '../../core/profile/registry.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { Calibration } from '../calibrate/calibrateEngine.ts';
import type { ProgramRecorded } from '../machines/protocol.ts';
import { errorSchema } from '../service/runSummaries.ts';
import type { PointFiles } from './protocol.ts';
import { readShape } from './readShape.ts';

const failedSchema = z.object({ status: z.literal('failed'), error: errorSchema });
const recordedSchema = z.object({
  status: z.literal('recorded'),
  exitCode: z.number().int().min(0).max(255),
  problem: errorSchema.nullable(),
  /** Slurm ended it. */
  stopped: z.boolean(),
});
const calibratedSchema = z.object({
  status: z.literal('calibrated'),
  profile: z.unknown(),
  assumed: z.array(z.enum(parameterNames as [ParameterName, ...ParameterName[]])),
  failed: z.array(z.object({ probe: z.string().max(1000), error: errorSchema })).max(10_000),
  device: z.string().max(200).nullable(),
});
const schema = z.discriminatedUnion('status', [failedSchema, recordedSchema, calibratedSchema]);

export interface RecordedThere extends ProgramRecorded {
  readonly stopped: boolean;
}

export const failedText = (error: z.infer<typeof errorSchema>): string => JSON.stringify({ status: 'failed', error });

export const recordedText = ({ exitCode, problem, stopped }: Omit<RecordedThere, 'file'>): string =>
  JSON.stringify({ status: 'recorded', exitCode, problem, stopped });

export const calibratedText = ({ profile, assumed, failed, device }: Calibration): string =>
  JSON.stringify({ status: 'calibrated', profile, assumed, failed, device });

/** Throws what the job failed with, `slurm.damaged`, or as decodeRun() does. */
export function readRecorded({ result, run }: PointFiles): RecordedThere {
  const read = readOne(result);
  if (read.status !== 'recorded') throw damaged('it is of something else.');
  if (run !== null) decodeRun(run);
  else if (read.problem === null) throw damaged('its run is missing.');
  const { exitCode, problem, stopped } = read;
  return { exitCode, problem, stopped, file: run };
}

/** Throws what the job failed with, `slurm.damaged` or `profile.invalid`. */
export function readCalibrated({ result }: PointFiles): Calibration {
  const read = readOne(result);
  if (read.status !== 'calibrated') throw damaged('it is of something else.');
  const profile: DeviceProfile = parseProfile(read.profile);
  return { ...read, profile };
}

function readOne(text: string): Exclude<z.infer<typeof schema>, { status: 'failed' }> {
  const read = readShape(schema, text, { code: 'slurm.damaged', what: 'The result of the job' });
  if (read.status === 'failed') throw new CopyscopeError(read.error);
  return read;
}

const damaged = (why: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.damaged',
    field: 'status',
    message: `The result of the job can't be read: ${why}`,
    remedy: 'The same command submits it again.',
  });
