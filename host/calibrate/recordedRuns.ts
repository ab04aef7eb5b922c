/** Recorded runs from folders and files, for a fit. What is no usable run is left out, with the reason. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type RecordedRun, recordedRun } from '../../core/calibrate/fit/recordedRun.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { DeviceInfo } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { decodeRun, maxRunFileBytes } from '../../core/trace/arrow.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { findFiles, readBounded, storageError } from '../service/files.ts';

export interface RecordedRuns {
  readonly runs: readonly RecordedRun[];
  /** The GPU that all of them are from; null where they were simulated. */
  readonly device: DeviceInfo | null;
  /** Of the profile that simulated them; null where they were recorded. */
  readonly profile: string | null;
  /** When the latest of them was made, as '2026-11-20'. */
  readonly date: string;
  readonly leftOut: readonly { readonly file: string; readonly error: ErrorInfo }[];
}

const ending = '.arrow';

/**
 * Every run of `engine` in these files, and below these folders, by path. Rejects with `fit.no-runs` where there is
 * none, with `fit.devices` where they are from GPUs of several kinds, and with `run.cancelled`.
 */
export async function readRecordedRuns(
  paths: readonly string[],
  engine: EngineKind,
  signal: AbortSignal,
): Promise<RecordedRuns> {
  const runs: RecordedRun[] = [];
  const infos: RunInfo[] = [];
  const leftOut: { file: string; error: ErrorInfo }[] = [];
  for (const { name, path } of (await Promise.all(paths.map(filesOf))).flat()) {
    if (signal.aborted) throw new CopyscopeError({ code: 'run.cancelled', message: 'The fit was cancelled.' });
    try {
      const run = decodeRun(await readBounded(path, maxRunFileBytes));
      if (run.info.engine !== engine) throw otherEngine(name, run.info.engine, engine);
      runs.push(recordedRun(name, run));
      infos.push(run.info);
    } catch (thrown) {
      leftOut.push({ file: path, error: toErrorInfo(thrown) });
    }
  }
  const [first] = infos;
  if (first === undefined) throw noRuns(paths, leftOut[0]?.error);
  requireOneDevice(infos);
  const date = infos.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), '').slice(0, 10);
  const isSimulated = engine === 'sim';
  return {
    ...{ runs, date, leftOut },
    device: isSimulated ? null : first.device,
    profile: isSimulated ? (first.profile ?? null) : null,
  };
}

async function filesOf(path: string): Promise<{ readonly name: string; readonly path: string }[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${path} could not be read`, error);
  });
  return found.isDirectory() ? findFiles(path, ending, true) : [{ name: basename(path, ending), path }];
}

function requireOneDevice(infos: readonly RunInfo[]): void {
  const names = [...new Set(infos.map(({ device }) => device?.name ?? 'no GPU'))];
  if (names.length === 1) return;
  throw new CopyscopeError({
    code: 'fit.devices',
    field: '--from-runs',
    message: `The runs are from machines of several kinds: ${names.slice(0, 5).join(', ')}.`,
    remedy: 'Name runs of one kind only: a profile describes one machine.',
  });
}

const otherEngine = (name: string, found: EngineKind, engine: EngineKind): CopyscopeError =>
  new CopyscopeError({
    code: 'fit.not-usable',
    field: name,
    message: `The run ${name} is of the engine ${found}, and runs of ${engine} are asked for.`,
  });

const noRuns = (paths: readonly string[], first: ErrorInfo | undefined): CopyscopeError =>
  new CopyscopeError({
    code: 'fit.no-runs',
    field: '--from-runs',
    message: `No run in ${paths.join(', ')} can be used${first === undefined ? ': there is none.' : `: ${first.message}`}`,
    remedy: 'Record some with copyscope run FILE --engine cuda --out RUN.arrow.',
  });
