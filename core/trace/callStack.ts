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
  prefix + frames.slice(0, mostFrames).map(frameText).join(between);

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

/** As PyTorch's profiler writes a function of Python; isFrameName() of rangeNames.ts knows them. */
const sourceLine = /^(.*\.py)\((\d+)\): (.*)$/;

/** The lines that the name of a range tells, innermost first: a whole stack, one function of it, or none. */
export function framesOfName(name: string): readonly StackFrame[] {
  const stack = readCallStackName(name);
  if (stack !== null) return stack;
  const [, file, line, called = ''] = sourceLine.exec(name) ?? [];
  return file === undefined ? [] : [{ file, line: Number(line), function: called }];
}

/** Files of the interpreter's and the framework's own. */
const library =
  /(^|\/)(torch|torchvision|numpy|contextlib|threading|queue|runpy|selectors|importlib)(\/|\.py)|site-packages|<frozen|lib\/python/;

/** The innermost line of the program itself; undefined where all are of the interpreter and the framework. */
export const ownFrame = (frames: readonly StackFrame[]): StackFrame | undefined =>
  frames.find(({ file }) => !library.test(file));

/** As 'train.py:44 in step'. */
export const frameText = ({ file, line, function: name }: StackFrame): string => `${file}:${line} in ${name}`;
