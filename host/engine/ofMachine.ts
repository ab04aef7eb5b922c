/** What another machine says of itself: its "this machine" is another one to whoever reads it here. */
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import { PartialRunError } from './partialRun.ts';

/** Its words with its name in them. */
export function errorOf(host: string, thrown: unknown): unknown {
  if (!(thrown instanceof CopyscopeError)) return thrown;
  const info = named(host, thrown.toInfo());
  return thrown instanceof PartialRunError
    ? new PartialRunError(info, thrown.partial)
    : new CopyscopeError(info, { cause: thrown });
}

export const reportOf = (host: string, report: DeviceReport): DeviceReport => ({
  ...report,
  engines: report.engines.map(({ problem, ...engine }) =>
    problem === undefined ? engine : { ...engine, problem: named(host, problem) },
  ),
});

const named = (host: string, { message, remedy, ...info }: ErrorInfo): ErrorInfo => ({
  ...info,
  message: there(host, message),
  ...(remedy === undefined ? {} : { remedy: there(host, remedy) }),
});

const there = (host: string, words: string): string => words.replaceAll('this machine', () => host);
