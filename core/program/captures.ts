/** Finds graph captures, and the instructions that they take in. */
import type { Instruction, InstructionCode, ProgramThread } from './program.ts';

/** Stream work that becomes part of a graph while its stream is captured, and runs at the launch. */
const capturable: ReadonlySet<InstructionCode> = new Set([
  'copy',
  'memset',
  'kernel',
  'recordEvent',
  'waitEvent',
  'hostFunction',
] satisfies InstructionCode[]);

export const isCapturable = ({ code }: Instruction): boolean => capturable.has(code);

export interface Capture {
  readonly graph: number;
  readonly thread: number;
  /** Indices of its beginCapture and endCapture in the thread. */
  readonly begin: number;
  readonly end: number;
}

/** Returns all captures of a program, thread by thread, in order. */
export function captures(threads: readonly ProgramThread[]): Capture[] {
  const found: Capture[] = [];
  for (const [thread, { instructions }] of threads.entries()) {
    let begin = -1;
    for (let index = 0; index < instructions.length; index += 1) {
      const instruction = instructions[index] as Instruction;
      if (instruction.code === 'beginCapture') begin = index;
      else if (instruction.code === 'endCapture') found.push({ graph: instruction.graph, thread, begin, end: index });
    }
  }
  return found;
}

/** Returns the captured work of each graph, over all its captures. */
export function capturedWork(threads: readonly ProgramThread[]): ReadonlyMap<number, readonly Instruction[]> {
  const work = new Map<number, Instruction[]>();
  for (const { graph, thread, begin, end } of captures(threads)) {
    const body = threads[thread]?.instructions.slice(begin + 1, end).filter(isCapturable) ?? [];
    const known = work.get(graph);
    if (known === undefined) work.set(graph, body);
    else for (const instruction of body) known.push(instruction);
  }
  return work;
}

/** Returns each instruction of a thread that runs, in no order. Captured work counts at the graph's launch. */
export function executedWork(
  { instructions }: ProgramThread,
  work: ReadonlyMap<number, readonly Instruction[]>,
): Instruction[] {
  const launched = new Set<number>();
  let capturing = false;
  const own = instructions.filter((instruction) => {
    if (instruction.code === 'beginCapture' || instruction.code === 'endCapture') {
      capturing = instruction.code === 'beginCapture';
    }
    if (instruction.code === 'launchGraph') launched.add(instruction.graph);
    return !capturing || !isCapturable(instruction);
  });
  for (const graph of launched) for (const instruction of work.get(graph) ?? []) own.push(instruction);
  return own;
}
