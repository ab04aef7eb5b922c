/** What a run that ended early had recorded by then. */
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import { decodeRun, encodeRun } from '../../core/trace/arrow.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import type { EngineRunResult } from './protocol.ts';

/** Why the run ended, with a run file that says so too. */
export class PartialRunError extends CopyscopeError {
  readonly partial: EngineRunResult;

  constructor(info: ErrorInfo, partial: EngineRunResult) {
    super(info);
    this.partial = partial;
  }
}

/** The error with the partial run, whose own account of its end becomes the same. */
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
