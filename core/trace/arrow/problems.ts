/** Errors of run files. Every failure to read one has one of these codes, the field and a remedy. */
import { CopyscopeError } from '../../errors.ts';

export type RunFileCode =
  /** Ends too early, because a download or copy was cut off. */
  | 'run-file.truncated'
  | 'run-file.not-arrow'
  /** An Arrow file, but not a run file. */
  | 'run-file.not-a-run'
  | 'run-file.newer-version'
  | 'run-file.damaged'
  | 'run-file.too-large'
  /** A run that can't be written, since it couldn't be read again. */
  | 'run-file.unwritable';

const remedies: Readonly<Record<RunFileCode, string>> = {
  'run-file.truncated': 'Copy or download the file again.',
  'run-file.not-arrow': 'Open an .arrow file that Copyscope wrote.',
  'run-file.not-a-run': 'Open an .arrow file that Copyscope wrote.',
  'run-file.newer-version': 'Update Copyscope.',
  'run-file.damaged': 'Copy the file again from where it was written, or record the run again.',
  'run-file.too-large': 'Record fewer iterations or fewer operations.',
  'run-file.unwritable': 'This is a fault of the engine that made the run: report it.',
};

/** `field` is a column, a metadata key with a path inside it, or "file". */
export function runFileError(
  code: RunFileCode,
  field: string,
  message: string,
  options: { remedy?: string; cause?: unknown } = {},
): CopyscopeError {
  return new CopyscopeError(
    { code, field, message, remedy: options.remedy ?? remedies[code] },
    options.cause === undefined ? undefined : { cause: options.cause },
  );
}

export const damaged = (field: string, message: string): CopyscopeError =>
  runFileError('run-file.damaged', field, message);

/** Returns a column's type in Arrow's notation, or only its name if its unit is invalid, as in a damaged file. */
export function typeName(type: unknown): string {
  const words = String(type);
  return words.includes('undefined') ? words.replace(/[^A-Za-z].*$/s, '') : words;
}
