/**
 * Who called: the Python stack of a copy or a waiting call. In a trace it is a range around the call on its thread, whose name
 * holds the frames, innermost first.
 */

export interface StackFrame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}

const prefix = 'called from ';
const between = ' ← ';
/** Names are kept short enough to be read; a stack is cut at its outer end. */
const mostFrames = 32;

export const callStackName = (frames: readonly StackFrame[]): string =>
  prefix +
  frames
    .slice(0, mostFrames)
    .map(({ file, line, function: name }) => `${file}:${line} in ${name}`)
    .join(between);

export const isCallStackName = (name: string): boolean => name.startsWith(prefix);

/** Null for a range of another name. */
export function readCallStackName(name: string): StackFrame[] | null {
  if (!isCallStackName(name)) return null;
  return name
    .slice(prefix.length)
    .split(between)
    .flatMap((frame) => {
      const [, file = '', line = '', called = ''] = /^(.*?):(\d+) in (.*)$/.exec(frame) ?? [];
      return file === '' ? [] : [{ file, line: Number(line), function: called }];
    });
}
