/**
 * One possible order of the calls of all host threads: threads take turns, and each continues until a signal stops it.
 * programOrder.ts walks it and finds what holds in every order.
 *
 * A program of at most `wholeSteps` operations, or `mostSteps` if it uses signals, is followed to its end. Otherwise
 * each repeat is followed for three rounds, or two if three are too many. Rounds do the same to the same bytes, so a
 * conflict between distant rounds also exists between neighbouring rounds: a and b in rounds r and r + 2 are ordered
 * through round r + 1 unless a with b, a with a or b with b of neighbouring rounds are not.
 */
import type { Instruction, InstructionOf, Program } from '../../program/program.ts';

const wholeSteps = 4096;
const mostSteps = 600_000;

export interface Schedule {
  readonly count: number;
  /** Host thread and index of the instruction, by step. */
  readonly thread: Int32Array;
  readonly index: Int32Array;
  /** Number of rounds after which repeats were cut; null if all were followed to their end. */
  readonly rounds: number | null;
  /** Host threads that wait forever at a signal in this order of calls. */
  readonly stuck: readonly Stuck[];
}

export interface Stuck {
  readonly thread: number;
  readonly at: InstructionOf<'signal' | 'waitSignal'>;
  /** Instructions that the thread never reaches, each once. */
  readonly later: ReadonlySet<Instruction>;
}

type RoundLimit = (height: number) => number;

export function schedule(program: Program): Schedule {
  const heights = program.threads.map(({ instructions }) => repeatHeights(instructions));
  const total = (limit: RoundLimit): number =>
    program.threads.reduce((sum, thread, index) => sum + executions(thread.instructions, heights[index], limit), 0);
  const whole: RoundLimit = () => Number.POSITIVE_INFINITY;
  const isWhole = total(whole) <= (program.signals.length > 0 ? mostSteps : wholeSteps);
  const limit = isWhole ? whole : (roundLimits.find((candidate) => total(candidate) <= mostSteps) ?? (() => 1));
  const cut = !isWhole && total(limit) < total(whole);
  const cursors = program.threads.map(
    ({ instructions }, index) => new Cursor(instructions, heights[index] ?? new Map(), limit),
  );
  return { ...takeTurns(program, cursors, total(limit)), rounds: cut ? limit(0) : null };
}

/** Three rounds of every repeat; if that is too long, two, and then two of the innermost repeats only. */
const roundLimits: readonly RoundLimit[] = [
  () => 3,
  () => 2,
  (height) => (height < 4 ? 2 : 1),
  (height) => (height < 2 ? 2 : 1),
  (height) => (height < 1 ? 2 : 1),
];

/** Returns how many levels of repeats each repeat contains, by the index of its instruction. */
function repeatHeights(instructions: readonly Instruction[]): Map<number, number> {
  const heights = new Map<number, number>();
  const open: { start: number; height: number }[] = [];
  for (const [index, instruction] of instructions.entries()) {
    if (instruction.code === 'repeat') open.push({ start: index, height: 0 });
    if (instruction.code !== 'endRepeat') continue;
    const closed = open.pop();
    if (closed === undefined) continue;
    heights.set(closed.start, closed.height);
    const around = open.at(-1);
    if (around !== undefined) around.height = Math.max(around.height, closed.height + 1);
  }
  return heights;
}

function executions(
  instructions: readonly Instruction[],
  heights: ReadonlyMap<number, number> | undefined,
  limit: RoundLimit,
): number {
  const factors = [1];
  let total = 0;
  for (const [index, instruction] of instructions.entries()) {
    const factor = factors.at(-1) ?? 1;
    if (instruction.code === 'repeat') {
      factors.push(factor * Math.min(instruction.count, limit(heights?.get(index) ?? 0)));
    } else if (instruction.code === 'endRepeat') factors.pop();
    total += factor;
  }
  return total;
}

/** Walks one thread's instructions, through its repeats. */
class Cursor {
  readonly instructions: readonly Instruction[];
  readonly #heights: ReadonlyMap<number, number>;
  readonly #limit: RoundLimit;
  readonly #left = new Map<number, number>();
  #at = 0;

  constructor(instructions: readonly Instruction[], heights: ReadonlyMap<number, number>, limit: RoundLimit) {
    this.instructions = instructions;
    this.#heights = heights;
    this.#limit = limit;
  }

  /** Moves to the next instruction to execute, through repeats and ranges. Returns its index, or -1 at the end. */
  seek(): number {
    for (;;) {
      const instruction = this.instructions[this.#at];
      if (instruction === undefined) return -1;
      if (instruction.code === 'repeat') {
        const rounds = Math.min(instruction.count, this.#limit(this.#heights.get(this.#at) ?? 0));
        this.#left.set(this.#at, rounds);
      } else if (instruction.code === 'endRepeat') {
        const left = (this.#left.get(instruction.start) ?? 1) - 1;
        this.#left.set(instruction.start, left);
        if (left > 0) this.#at = instruction.start;
      } else if (instruction.code !== 'beginRange' && instruction.code !== 'endRange') return this.#at;
      this.#at += 1;
    }
  }

  advance(): void {
    this.#at += 1;
  }
}

function takeTurns(program: Program, cursors: readonly Cursor[], most: number): Omit<Schedule, 'rounds'> {
  const [thread, index] = [new Int32Array(most), new Int32Array(most)];
  const pending = program.signals.map(() => 0);
  let count = 0;
  const isBlocked = (instruction: Instruction): boolean => {
    if (instruction.code === 'waitSignal') return (pending[instruction.signal] ?? 0) === 0;
    if (instruction.code !== 'signal') return false;
    return (pending[instruction.signal] ?? 0) >= (program.signals[instruction.signal]?.capacity ?? 1);
  };
  const run = (cursor: Cursor, number: number): void => {
    for (;;) {
      const at = cursor.seek();
      const instruction = cursor.instructions[at];
      if (instruction === undefined || isBlocked(instruction)) return;
      if (instruction.code === 'signal') pending[instruction.signal] = (pending[instruction.signal] ?? 0) + 1;
      if (instruction.code === 'waitSignal') pending[instruction.signal] = (pending[instruction.signal] ?? 0) - 1;
      thread[count] = number;
      index[count] = at;
      count += 1;
      cursor.advance();
    }
  };
  for (let before = -1; before !== count; ) {
    before = count;
    for (const [number, cursor] of cursors.entries()) run(cursor, number);
  }
  const stuck = cursors.flatMap((cursor, number) => {
    const at = cursor.instructions[cursor.seek()];
    const isHeld = at?.code === 'signal' || at?.code === 'waitSignal';
    return isHeld ? [{ thread: number, at, later: rest(cursor) }] : [];
  });
  return { count, thread, index, stuck };
}

/** Returns the instructions after the cursor's, and moves the cursor to its end. */
function rest(cursor: Cursor): Set<Instruction> {
  const later = new Set<Instruction>();
  for (;;) {
    cursor.advance();
    const instruction = cursor.instructions[cursor.seek()];
    if (instruction === undefined) return later;
    later.add(instruction);
  }
}
