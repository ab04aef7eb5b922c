/** Refuses a program that is too long to simulate before it starts, and names what makes it long. */
import { CopyscopeError, type ErrorInfo } from '../errors.ts';
import { capturedWork } from '../program/captures.ts';
import type { Instruction, Program } from '../program/program.ts';
import { fieldPath } from '../shape/path.ts';

/** Error code for a program that is too long. */
export const tooLong = 'simulation.too-long';

interface Repeat {
  readonly op: number;
  readonly count: number;
  /** Instructions executed in all rounds, including rounds of enclosing repeats. */
  executed: number;
}

interface Length {
  readonly executed: number;
  readonly repeats: readonly Repeat[];
}

/** Throws `simulation.too-long` if a program executes more than `most` instructions. */
export function requireBounded(program: Program, most: number): void {
  const graphs = new Map([...capturedWork(program.threads)].map(([graph, work]) => [graph, work.length]));
  const lengths = program.threads.map(({ instructions }) => lengthOf(program, graphs, instructions));
  const total = lengths.reduce((sum, { executed }) => sum + executed, 0);
  if (total <= most) return;
  const count = Number.isFinite(total) ? String(total) : 'more than can be counted';
  const message = `the program executes ${count} instructions; at most ${most} are simulated.`;
  const repeats = lengths.flatMap((length) => length.repeats);
  throw new CopyscopeError(byRepeat(program, repeats, total - most, message) ?? byThread(lengths, message));
}

type Found = Pick<ErrorInfo, 'code' | 'message' | 'remedy' | 'field' | 'op'>;

/** Returns the largest repeat that can be shortened by `excess` instructions, or null. */
function byRepeat(program: Program, repeats: readonly Repeat[], excess: number, message: string): Found | null {
  let longest: Repeat | null = null;
  for (const one of repeats) {
    if (fitting(one, excess) >= 1 && (longest === null || one.executed > longest.executed)) longest = one;
  }
  if (longest === null) return null;
  const { op, count } = longest;
  return {
    code: tooLong,
    op,
    field: fieldPath([...(program.operations[op]?.path ?? []), 'count']),
    message: `with count ${count} ${message}`,
    remedy: `Lower it to ${fitting(longest, excess)} at most.`,
  };
}

/** Returns the count that makes the program `excess` instructions shorter. */
const fitting = ({ count, executed }: Repeat, excess: number): number =>
  Math.floor((count * (executed - excess)) / executed);

function byThread(lengths: readonly Length[], message: string): Found {
  const executed = lengths.map((length) => length.executed);
  return {
    code: tooLong,
    field: fieldPath(['threads', executed.indexOf(Math.max(...executed)), 'operations']),
    message,
    remedy: 'Lower the counts of repeats and tensors, or take operations out.',
  };
}

/**
 * Returns the instructions that a host thread executes, including each round of a repeat, each tensor of a multi-tensor
 * copy, and the graph's work at each launch.
 */
function lengthOf(program: Program, graphs: ReadonlyMap<number, number>, instructions: readonly Instruction[]): Length {
  const weight = (instruction: Instruction): number => {
    if (instruction.code === 'multiCopy') return program.multiCopies[instruction.plan]?.sizes.length ?? 1;
    if (instruction.code === 'blockCopy') return instruction.by === 'loop' ? instruction.blocks.sizes.length : 1;
    return instruction.code === 'launchGraph' ? 1 + (graphs.get(instruction.graph) ?? 0) : 1;
  };
  const repeats: Repeat[] = [];
  const open: { readonly repeat: Repeat; readonly factor: number; readonly before: number }[] = [];
  let executed = 0;
  for (const instruction of instructions) {
    const factor = open.at(-1)?.factor ?? 1;
    executed += factor * weight(instruction);
    if (instruction.code === 'repeat') {
      const repeat = { op: instruction.op, count: instruction.count, executed: 0 };
      repeats.push(repeat);
      open.push({ repeat, factor: factor * instruction.count, before: executed });
    } else if (instruction.code === 'endRepeat') {
      // An endRepeat is executed once per round, so it is counted inside the repeat.
      const closed = open.pop();
      if (closed !== undefined) closed.repeat.executed = executed - closed.before;
    }
  }
  return { executed, repeats };
}
