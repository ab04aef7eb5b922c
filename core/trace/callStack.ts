/**
 * Python call stacks of copies and waiting calls. In a trace a stack is a range around the call on its thread. The
 * range's name lists the frames, innermost first.
 */

export interface StackFrame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}

const prefix = 'called from ';
const between = ' ← ';
/** Limit of frames, so that names stay readable. Outer frames are cut. */
const mostFrames = 32;

export const callStackName = (frames: readonly StackFrame[]): string =>
  prefix + frames.slice(0, mostFrames).map(frameText).join(between);

export const isCallStackName = (name: string): boolean => name.startsWith(prefix);

/** Returns null if the name isn't a stack. */
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

/** A Python function in the notation of PyTorch's profiler, the same as for isFrameName() of rangeNames.ts. */
const sourceLine = /^(.*\.py)\((\d+)\): (.*)$/;

/** Returns the frames in the name of a range, innermost first: a whole stack, one function, or none. */
export function framesOfName(name: string): readonly StackFrame[] {
  const stack = readCallStackName(name);
  if (stack !== null) return stack;
  const [, file, line, called = ''] = sourceLine.exec(name) ?? [];
  return file === undefined ? [] : [{ file, line: Number(line), function: called }];
}

/** Files of the Python interpreter and of frameworks. */
const library =
  /(^|\/)(torch|torchvision|numpy|contextlib|threading|queue|runpy|selectors|importlib)(\/|\.py)|site-packages|<frozen|lib\/python/;

/** Returns the innermost frame of the user's program, or undefined if all are of interpreter and framework. */
export const ownFrame = (frames: readonly StackFrame[]): StackFrame | undefined =>
  frames.find(({ file }) => !library.test(file));

/** Returns for example 'train.py:44 in step'. */
export const frameText = ({ file, line, function: name }: StackFrame): string => `${file}:${line} in ${name}`;
