/** What makes an input's end a failure: anything but a result, or a refusal in words. */
import { CopyscopeError } from '../../core/errors.ts';
import type { Run } from '../../core/trace/run.ts';

/** What JavaScript, a validator or Arrow says, and no person. */
const noWords =
  /Cannot (read|set|convert|destructure|mix)|undefined|is not (a function|iterable|a constructor)|Maximum call stack|Invalid (array|typed array|string) length|primitive|RangeError|TypeError|out of bounds|\[object Object\]/;

export class Wrong extends Error {}

/** Throws where what was thrown is no refusal that a person can read. */
export function requireRefusal(thrown: unknown): void {
  if (thrown instanceof Wrong) throw thrown;
  if (!(thrown instanceof CopyscopeError)) throw thrown;
  const { code, message, remedy } = thrown;
  if (code === 'internal') throw new Wrong(`an internal error: ${message}`, { cause: thrown });
  const text = `${message} ${remedy ?? ''}`;
  if (message.length < 10 || noWords.test(quoteless(text))) throw new Wrong(`no words: ${text}`, { cause: thrown });
}

/** What a message quotes is the input's own. */
const quoteless = (text: string): string => text.replace(/"(\\.|[^"\\])*"?/g, '""').replace(/‘[^’]*’/g, '');

/** Throws where a run of an input that was cut counts as a whole one. */
export function requireNotWhole({ info }: Run): void {
  if (info.status !== 'complete' || info.notes.length > 0) return;
  throw new Wrong('a file that breaks off gives a complete run without a remark');
}

/** Reads, and tells whether it was taken; throws where its refusal is none. */
export async function taken<Result>(read: () => Result | Promise<Result>): Promise<Result | null> {
  try {
    return await read();
  } catch (thrown) {
    requireRefusal(thrown);
    return null;
  }
}
