/** Exit codes of the command. --help prints them, so that scripts can rely on them. */
import type { ErrorInfo } from '../../core/errors.ts';

export const exitCodes = {
  ok: 0,
  failed: 1,
  badInput: 2,
  unavailable: 3,
  wrongData: 4,
  hazards: 5,
  gate: 6,
  cancelled: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeHelp = `
Exit codes:
  0    done
  1    the run failed
  2    bad input or usage
  3    the engine or the machine is not available, or can't execute the experiment
  4    data verification found wrong bytes
  5    check found hazards
  6    gate found a limit broken
  130  cancelled (Ctrl-C)`;

/**
 * Exit codes by error code; the first match counts. Bad input means that a file, an id or an option was wrong, even if
 * the rest succeeded; failed means that valid work went wrong.
 */
const families: readonly (readonly [pattern: RegExp, exitCode: ExitCode])[] = [
  [/^(run\.cancelled|slurm\.left)$/, exitCodes.cancelled],
  [/^engine\.(unavailable|unsupported)$/, exitCodes.unavailable],
  [/^host\.(unreachable|no-ssh|no-node|unlike|not-built|no-forwarding|lost)$/, exitCodes.unavailable],
  [/^host\.name$/, exitCodes.badInput],
  [/^slurm\.not-found$/, exitCodes.unavailable],
  [/^slurm\.(settings|unknown)$/, exitCodes.badInput],
  [/^verification\./, exitCodes.wrongData],
  [/^hazards\./, exitCodes.hazards],
  [/^gate\.broken$/, exitCodes.gate],
  [/^simulation\.too-long$/, exitCodes.badInput],
  [/^(run|sweep)\.(not-found|file-name|invalid|damaged)$/, exitCodes.badInput],
  [
    /^(experiment|template|profile|run-file|trace|trace-file|bundle|notes|fit|lift|gate|export|recording)\./,
    exitCodes.badInput,
  ],
  [/^(file|usage|request|server)\./, exitCodes.badInput],
];

export const exitCodeOf = ({ code }: ErrorInfo): ExitCode =>
  families.find(([pattern]) => pattern.test(code))?.[1] ?? exitCodes.failed;
