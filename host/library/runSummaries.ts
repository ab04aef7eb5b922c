/** Summaries of runs for lists, from the runs' own descriptions. */
import { z } from 'zod';
import type { ErrorInfo } from '../../core/errors.ts';
import { deviceOf } from '../../core/machine/profile/profile.ts';
import { type EngineKind, engineKinds } from '../../core/program/engineKind.ts';
import { idSchema } from '../../core/service/requests.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { errorInfoSchema, type RunInfo, runName, runOrigin } from '../../core/trace/run.ts';

/** A RunSummary in one of our files. */
export const runSummarySchema = z.object({
  id: idSchema,
  name: z.string().max(200),
  changed: z.string().max(300).exactOptional(),
  origin: z.enum(['measured', 'recorded', 'simulated']),
  engine: z.enum(engineKinds).nullable(),
  status: z.enum(['running', 'complete', 'failed', 'cancelled']),
  error: errorInfoSchema.exactOptional(),
  createdAt: z.string().max(40),
  device: z.string().max(500),
  host: z.string().max(200).exactOptional(),
  makespanNs: z.number().nullable(),
  builtIn: z.boolean(),
});

export interface Place {
  readonly id: string;
  /** True for a run of this installation, false for imported or built-in ones. */
  readonly madeHere: boolean;
  readonly builtIn: boolean;
}

export function summaryOf(info: RunInfo, { id, madeHere, builtIn }: Place): RunSummary {
  return {
    id,
    name: runName(info),
    ...(info.changed === undefined ? {} : { changed: info.changed }),
    origin: runOrigin(info, madeHere),
    engine: info.engine,
    status: info.status,
    ...(info.error === undefined ? {} : { error: info.error }),
    createdAt: info.createdAt,
    device: deviceOf(info.device?.name ?? (info.engine === 'sim' ? info.profile : info.machine?.cpu) ?? '', info.host),
    ...(info.host === undefined ? {} : { host: info.host }),
    makespanNs: info.iterations.recordedMakespanNs[info.iterations.representative] ?? null,
    builtIn,
  };
}

/** Returns the summary of an unreadable file with the reason. */
export function unreadable({ id, builtIn }: Place, name: string, modifiedAt: Date, error: ErrorInfo): RunSummary {
  return {
    id,
    name,
    origin: 'recorded',
    engine: null,
    status: 'failed',
    error,
    createdAt: modifiedAt.toISOString(),
    device: '',
    makespanNs: null,
    builtIn,
  };
}

export interface Started {
  readonly id: string;
  readonly name: string;
  readonly engine: EngineKind;
  readonly createdAt: Date;
  /** Device or profile as far as known before the run. */
  readonly device: string;
}

export function runningSummary({ id, name, engine, createdAt, device }: Started): RunSummary {
  return {
    id,
    name,
    origin: engine === 'sim' ? 'simulated' : 'measured',
    engine,
    status: 'running',
    createdAt: createdAt.toISOString(),
    device,
    makespanNs: null,
    builtIn: false,
  };
}
