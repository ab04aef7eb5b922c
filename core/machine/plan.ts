/** Prices a program with a cost model: each host thread's steps. */
import { isCapturable } from '../program/captures.ts';
import type { Instruction, Program, ProgramThread } from '../program/program.ts';
import type { CostModel } from './costModel.ts';
import { InstructionSteps } from './instructionSteps.ts';
import type { Step } from './step.ts';

/** Steps of a host thread in order of instructions; most instructions are one step. */
export interface ThreadPlan {
  readonly steps: readonly Step[];
  /** Operation number of each step. */
  readonly ops: readonly number[];
}

/** Returns the plan of each host thread. */
export function planProgram(program: Program, costs: CostModel): readonly ThreadPlan[] {
  const stepsOf = new InstructionSteps(program, costs);
  return program.threads.map((thread) => planThread(thread, stepsOf));
}

function planThread({ instructions }: ProgramThread, stepsOf: InstructionSteps): ThreadPlan {
  const steps: Step[] = [];
  const ops: number[] = [];
  /** Position of each instruction's first step, for loops to go back to. */
  const places = new Int32Array(instructions.length);
  let capturing = false;
  for (let index = 0; index < instructions.length; index += 1) {
    const instruction = instructions[index] as Instruction;
    places[index] = steps.length;
    if (instruction.code === 'beginCapture') capturing = true;
    else if (instruction.code === 'endCapture') capturing = false;
    const own =
      instruction.code === 'endRepeat'
        ? [{ ...stepsOf.blank(instruction), jump: places[instruction.start] ?? -1 }]
        : stepsOf.of(instruction, capturing && isCapturable(instruction));
    for (const step of own) {
      steps.push(step);
      ops.push(instruction.op);
    }
  }
  return { steps, ops };
}
