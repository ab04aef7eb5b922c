/** Decides whether the result of an input is a failure: anything but a result, or a refusal with a message. */
import { CopyscopeError } from '../../core/errors.ts';
import type { Run } from '../../core/trace/run.ts';

/** Messages of JavaScript, a validator or Arrow, which no person wrote. */
const noWords =
  /Cannot (read|set|convert|destructure|mix)|undefined|is not (a function|iterable|a constructor)|Maximum call stack|Invalid (array|typed array|string) length|primitive|RangeError|TypeError|out of bounds|\[object Object\]/;

export class Wrong extends Error {}

/** Throws if an error is no refusal that a person can read. */
export function requireRefusal(thrown: unknown): void {
  if (thrown instanceof Wrong) throw thrown;
  if (!(thrown instanceof CopyscopeError)) throw thrown;
  const { code, message, remedy } = thrown;
  if (code === 'internal') throw new Wrong(`an internal error: ${message}`, { cause: thrown });
  const text = `${message} ${remedy ?? ''}`;
  if (message.length < 10 || noWords.test(quoteless(text))) throw new Wrong(`no words: ${text}`, { cause: thrown });
}

/** Removes quotations, which are the input's own. */
const quoteless = (text: string): string => text.replace(/"(\\.|[^"\\])*"?/g, '""').replace(/‘[^’]*’/g, '');

/** Throws if a run of a truncated input counts as a whole one. */
export function requireNotWhole({ info }: Run): void {
  if (info.status !== 'complete' || info.notes.length > 0) return;
  throw new Wrong('a file that breaks off gives a complete run without a remark');
}

/** Returns the result; null if the input is refused. Throws if the error is no refusal. */
export async function taken<Result>(read: () => Result | Promise<Result>): Promise<Result | null> {
  try {
    return await read();
  } catch (thrown) {
    requireRefusal(thrown);
    return null;
  }
}
