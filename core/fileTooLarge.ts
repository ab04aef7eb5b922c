import { CopyscopeError } from './errors.ts';

/** A file that is larger than any of its kind is refused before it is read, by the host and by the window. */
export const fileTooLarge = (name: string, bytes: number, most: number): CopyscopeError =>
  new CopyscopeError({
    code: 'file.too-large',
    message: `${name} has ${bytes} bytes; at most ${most} are read.`,
    remedy: 'Check that it is the file you mean.',
  });
