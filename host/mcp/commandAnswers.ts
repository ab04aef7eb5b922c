/** Runs commands of the command line for a program, and keeps what they print as JSON. */
import { CopyscopeError, describeError, toErrorInfo } from '../../core/errors.ts';
import type { Tools } from '../cli/commands/run.ts';
import { terminalOn } from '../cli/io.ts';

export interface CommandAnswer<Value> {
  readonly value: Value;
  /** Lines of standard error: what the command could not do or assumed. */
  readonly remarks: readonly string[];
}

/** Exit codes that say what was found, after the object was printed. */
const findings = /^(hazards\.found|verification\.failed|run\.cancelled)$/;

/** Rejects as the command does if it fails before it prints an object or a document. */
export async function answerOf<Value>(
  tools: Tools,
  command: (tools: Tools) => Promise<unknown>,
): Promise<CommandAnswer<Value>> {
  const remarks: string[] = [];
  let value: object | undefined;
  const streams = { out: () => {}, err: (text: string) => void remarks.push(...text.split('\n').filter(Boolean)) };
  const terminal = {
    ...terminalOn({ ...streams, columns: 100, animated: false, isColored: false }),
    json: async (printed: object) => {
      value = printed;
    },
    write: (text: string) => {
      value = { text };
    },
  };
  try {
    await command({ ...tools, context: { ...tools.context, terminal, leaveAtOnce: () => {} } });
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    if (value === undefined || !(findings.test(error.code) || error.op !== undefined)) throw thrown;
    remarks.push(describeError(error));
  }
  if (value === undefined) throw new CopyscopeError({ code: 'internal', message: 'The command printed nothing.' });
  return { value: value as Value, remarks };
}
