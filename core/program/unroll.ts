/** Writes the rounds of a repeat one by one if offsets move in it, so that engines know no moving offsets. */
import { CopyscopeError } from '../errors.ts';
import { fieldPath } from '../shape/path.ts';
import { accesses } from './accesses.ts';
import type { UncheckedProgram } from './checks/report.ts';
import type { Instruction, InstructionOf } from './program.ts';

/** Limit of instructions in a thread with such a repeat. */
const mostInstructions = 200_000;

/** Fields with the step of an offset, and the offset. */
export const steps = [
  ['srcStepBytes', 'srcOffset'],
  ['dstStepBytes', 'dstOffset'],
  ['stepBytes', 'offset'],
] as const;

/** Returns whether its offsets move from round to round. */
export const isMoving = (one: Instruction): boolean => steps.some(([step]) => step in one);

/** Throws a CopyscopeError `experiment.invalid` if a round leaves its buffer, or if there are too many rounds. */
export function unrolled<P extends UncheckedProgram>(program: P): P {
  if (!program.threads.some(({ instructions }) => instructions.some(isMoving))) return program;
  const threads = program.threads.map((thread) => {
    const out: Instruction[] = [];
    new Unrolling(program, thread.instructions, out).block(0, thread.instructions.length, 0);
    return { ...thread, instructions: out };
  });
  return { ...program, threads };
}

class Unrolling {
  readonly #program: UncheckedProgram;
  readonly #from: readonly Instruction[];
  readonly #out: Instruction[];

  constructor(program: UncheckedProgram, from: readonly Instruction[], out: Instruction[]) {
    this.#program = program;
    this.#from = from;
    this.#out = out;
  }

  block(begin: number, end: number, round: number): void {
    for (let at = begin; at < end; at += 1) {
      const one = this.#from[at] as Instruction;
      if (one.code !== 'repeat') {
        this.#out.push(this.#moved(one, round));
        continue;
      }
      if (this.#moves(at + 1, one.end)) this.#rounds(one, at + 1);
      else {
        const start = this.#out.push(one) - 1;
        this.block(at + 1, one.end, 0);
        this.#out[start] = { ...one, end: this.#out.length };
        this.#out.push({ code: 'endRepeat', op: one.op, start });
      }
      at = one.end;
    }
  }

  #rounds({ op, count, end }: InstructionOf<'repeat'>, begin: number): void {
    for (let round = 0; round < count; round += 1) {
      this.block(begin, end, round);
      if (this.#out.length <= mostInstructions) continue;
      const message = `offsets move in it, and more than ${mostInstructions} operations run in its ${count} rounds.`;
      throw this.#error(op, 'count', message, 'Use fewer rounds, or larger steps.');
    }
  }

  /** Returns whether offsets move in these instructions; those of an inner repeat move with its own rounds. */
  #moves(begin: number, end: number): boolean {
    for (let at = begin; at < end; at += 1) {
      const one = this.#from[at] as Instruction;
      if (one.code === 'repeat') at = one.end;
      else if (isMoving(one)) return true;
    }
    return false;
  }

  #moved(one: Instruction, round: number): Instruction {
    if (!isMoving(one)) return one;
    const made: Record<string, unknown> = { ...one };
    for (const [step, offset] of steps) {
      if (!(step in one)) continue;
      made[offset] = (made[offset] as number) + round * (made[step] as number);
      delete made[step];
    }
    const moved = made as unknown as Instruction;
    for (const { buffer, writes, offset, bytes } of accesses(moved)) {
      const { id, bytes: size } = this.#program.buffers[buffer] ?? { id: '', bytes: 0 };
      if (offset + (bytes ?? 0) <= size) continue;
      const field = one.code === 'copy' ? (writes ? 'dstStepBytes' : 'srcStepBytes') : 'stepBytes';
      const message = `round ${round + 1} reaches bytes ${offset} to ${offset + (bytes ?? 0)}, beyond "${id}" (${size} bytes).`;
      throw this.#error(one.op, field, message, `Use at most ${round} rounds, or make "${id}" larger.`);
    }
    return moved;
  }

  #error(op: number, field: string, message: string, remedy: string): CopyscopeError {
    const path = fieldPath([...(this.#program.operations[op]?.path ?? []), field]);
    return new CopyscopeError({ code: 'experiment.invalid', field: path, message, remedy });
  }
}
