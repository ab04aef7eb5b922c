/** The recorded part of a run that ended early. */
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import { decodeRun, encodeRun } from '../../core/trace/arrow.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import type { EngineRunResult } from './protocol.ts';

/** The reason of the end, with a run file that contains it too. */
export class PartialRunError extends CopyscopeError {
  readonly partial: EngineRunResult;

  constructor(info: ErrorInfo, partial: EngineRunResult) {
    super(info);
    this.partial = partial;
  }
}

/** Returns the error with the partial run, in which the same error is stored. */
export function withPartial(error: CopyscopeError, partial: EngineRunResult | undefined): CopyscopeError {
  if (partial === undefined) return error;
  const info = error.toInfo();
  const { code, message } = partial.info.error ?? {};
  const told = code === info.code && message === info.message ? partial : relabelled(partial, info);
  return new PartialRunError(info, told);
}

function relabelled({ file }: EngineRunResult, error: ErrorInfo): EngineRunResult {
  const run = decodeRun(file);
  const status: RunInfo['status'] = error.code === 'run.cancelled' ? 'cancelled' : 'failed';
  const info: RunInfo = { ...run.info, status, error };
  return { info, file: encodeRun({ info, trace: run.trace }) };
}
