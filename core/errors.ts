/**
 * The error type that crosses layers: a code for programs, a message for people, the field concerned and the remedy.
 * Codes are stable, lower-case and dotted: `experiment.invalid`, `engine.lost`, `run.not-found`.
 */
export interface ErrorInfo {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string | undefined;
  /** Dotted path of the offending field, for example `buffers[0].bytes`. */
  readonly field?: string | undefined;
  /** Number of the operation that failed (see core/program/program.ts). */
  readonly op?: number | undefined;
}

export class CopyscopeError extends Error implements ErrorInfo {
  readonly code: string;
  readonly remedy: string | undefined;
  readonly field: string | undefined;
  readonly op: number | undefined;

  constructor(info: ErrorInfo, options?: { cause?: unknown }) {
    super(info.message, options);
    this.name = 'CopyscopeError';
    this.code = info.code;
    this.remedy = info.remedy;
    this.field = info.field;
    this.op = info.op;
  }

  toInfo(): ErrorInfo {
    return {
      code: this.code,
      message: this.message,
      ...(this.remedy === undefined ? {} : { remedy: this.remedy }),
      ...(this.field === undefined ? {} : { field: this.field }),
      ...(this.op === undefined ? {} : { op: this.op }),
    };
  }
}

/** Converts anything thrown to an ErrorInfo. An unknown error keeps its message and gets `fallbackCode`. */
export function toErrorInfo(thrown: unknown, fallbackCode = 'internal'): ErrorInfo {
  if (thrown instanceof CopyscopeError) return thrown.toInfo();
  return { code: fallbackCode, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** Returns anything thrown as a CopyscopeError, an unknown one with `fallbackCode`. */
export const asCopyscopeError = (thrown: unknown, fallbackCode: string): CopyscopeError =>
  thrown instanceof CopyscopeError ? thrown : new CopyscopeError(toErrorInfo(thrown, fallbackCode));

/** Returns one line for a terminal or a notification: the message, then the remedy if there is one. */
export function describeError(error: ErrorInfo): string {
  const where = error.field === undefined ? '' : `${error.field}: `;
  return error.remedy === undefined ? `${where}${error.message}` : `${where}${error.message} ${error.remedy}`;
}

/** Makes one error of a document's problems, of which there is at least one: the first one's field, and all messages. */
export function errorOfAll([first = nothingWrong, ...rest]: readonly ErrorInfo[]): CopyscopeError {
  if (rest.length === 0) return new CopyscopeError(first);
  const shown = rest.slice(0, 9).map((problem) => `\n${describeError(problem)}`);
  const more = rest.length > 9 ? `\n… and ${rest.length - 9} more.` : '';
  return new CopyscopeError({ ...first, remedy: `${first.remedy ?? ''}${shown.join('')}${more}` });
}

const nothingWrong: ErrorInfo = { code: 'internal', message: 'Nothing is wrong.' };

/** Returns the error with which the host and the window refuse a file, before reading it, if it exceeds the limit. */
export const fileTooLarge = (name: string, bytes: number, most: number): CopyscopeError =>
  new CopyscopeError({
    code: 'file.too-large',
    message: `${name} has ${bytes} bytes; at most ${most} are read.`,
    remedy: 'Check that it is the file you mean.',
  });
