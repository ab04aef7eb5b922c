import { CopyscopeError } from './errors.ts';

/** Returns the error with which the host and the window refuse a file, before reading it, if it exceeds the limit. */
export const fileTooLarge = (name: string, bytes: number, most: number): CopyscopeError =>
  new CopyscopeError({
    code: 'file.too-large',
    message: `${name} has ${bytes} bytes; at most ${most} are read.`,
    remedy: 'Check that it is the file you mean.',
  });
