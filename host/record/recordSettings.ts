/** Settings of a recording. The recorder's library gets them through the program's environment. */
import { resolve } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';

/** Steps to record, counted from 1. */
export interface StepSpan {
  readonly from: number;
  readonly to: number;
}

export interface RecordSettings {
  /** Leaves out kernels, which cost the most. */
  readonly light: boolean;
  /** Records the Python stack of each copy and waiting call. */
  readonly lines: boolean;
  /** Seconds from CUDA's initialisation to the start, and duration in seconds. */
  readonly delayS?: number | undefined;
  readonly durationS?: number | undefined;
  readonly steps?: readonly StepSpan[] | undefined;
  /** Name of the NVTX range that is a step. */
  readonly stepRange?: string | undefined;
}

/** Variables that CUDA and NVTX read. */
const injections = ['CUDA_INJECTION64_PATH', 'NVTX_INJECTION64_PATH'] as const;

/** Folder for the recorder's files. */
export const folderVariable = 'COPYSCOPE_RECORD_FOLDER';

/**
 * Returns the environment of a recorded program. Throws `usage.record-conflict` if another tool records already, and
 * `usage.record-steps` if two ways to choose a time are given.
 */
export function recordEnvironment(
  environment: NodeJS.ProcessEnv,
  library: string,
  folder: string,
  settings: RecordSettings,
): NodeJS.ProcessEnv {
  for (const name of injections) {
    const other = environment[name] ?? '';
    if (other === '' || other === library) continue;
    throw new CopyscopeError({
      code: 'usage.record-conflict',
      field: name,
      message: `${name} is ${other}: another tool records this program already.`,
      remedy:
        'Run copyscope record without the other tool (Nsight Systems sets it, for example), or unset the variable.',
    });
  }
  const { light, lines, delayS, durationS, steps, stepRange } = settings;
  if (steps !== undefined && (delayS !== undefined || durationS !== undefined)) {
    throw new CopyscopeError({
      code: 'usage.record-steps',
      field: '--steps',
      message: '--steps chooses when to record, and so do --delay and --duration.',
      remedy: 'Give one or the other.',
    });
  }
  return {
    ...environment,
    CUDA_INJECTION64_PATH: library,
    NVTX_INJECTION64_PATH: library,
    // Absolute, since the program may have changed its folder when it uses CUDA.
    [folderVariable]: resolve(folder),
    COPYSCOPE_RECORD_LIGHT: light ? '1' : '0',
    COPYSCOPE_RECORD_LINES: lines ? '1' : '0',
    ...(delayS === undefined ? {} : { COPYSCOPE_RECORD_DELAY_MS: String(delayS * 1000) }),
    ...(durationS === undefined ? {} : { COPYSCOPE_RECORD_DURATION_MS: String(durationS * 1000) }),
    ...(steps === undefined ? {} : { COPYSCOPE_RECORD_STEPS: steps.map(({ from, to }) => `${from}..${to}`).join(',') }),
    ...(stepRange === undefined ? {} : { COPYSCOPE_RECORD_STEP_RANGE: stepRange }),
  };
}
