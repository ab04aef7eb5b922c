/** Prices a program with a cost model: each host thread's steps. */
import { isCapturable } from '../program/captures.ts';
import { type FrontendCall, frontendCalls } from '../program/frontend.ts';
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
  const { devices, buffers, streams, frontend, launchBlocking, peerAccess, warmups, threads } = program;
  const declared = JSON.stringify([devices, buffers, streams, frontend, launchBlocking, peerAccess, warmups]);
  const before = last?.costs === costs && last.declared === declared ? last.threads : [];
  const stepsOf = new InstructionSteps(program, costs);
  const planned = threads.map((thread, index) =>
    planThread(thread, stepsOf, frontendCalls(thread, program), before[index]),
  );
  last = program.operations.length > mostKept ? null : { costs, declared, threads: planned };
  return planned;
}

interface PlannedThread extends ThreadPlan, Pick<ProgramThread, 'instructions'> {
  /** The step of each instruction; null if it has several, or if other instructions have an influence on it. */
  readonly alone: readonly (Step | null)[];
}

/** Last result: an edit leaves most instructions the same objects. Longer programs aren't kept. */
let last: { readonly costs: CostModel; readonly declared: string; readonly threads: readonly PlannedThread[] } | null =
  null;
const mostKept = 150_000;

/** Returns the step of an instruction whose number may have changed, because an edit put in or removed others. */
function again(now: Instruction, index: number, shift: number, { instructions, alone }: PlannedThread): Step | null {
  if (instructions[index] === now) return alone[index] ?? null;
  const old = instructions[index - shift];
  if (old?.code !== now.code) return null;
  // Lowering keeps all other values of a renumbered instruction.
  for (const field in now) if (field !== 'op' && old[field as 'op'] !== now[field as 'op']) return null;
  return alone[index - shift] ?? null;
}

const none: readonly FrontendCall[] = [];

/** `calls`: calls into PyTorch before each instruction. `before` is from a program with the same declarations. */
function planThread(
  { instructions }: ProgramThread,
  stepsOf: InstructionSteps,
  calls: readonly (readonly FrontendCall[])[],
  before: PlannedThread | undefined,
): PlannedThread {
  const steps: Step[] = [];
  const ops: number[] = [];
  const alone: (Step | null)[] = [];
  /** Position of each instruction's first step, for loops to go back to. */
  const places = new Int32Array(instructions.length);
  const shift = instructions.length - (before?.instructions.length ?? 0);
  let capturing = false;
  for (let index = 0; index < instructions.length; index += 1) {
    const instruction = instructions[index] as Instruction;
    const { code, op } = instruction;
    places[index] = steps.length;
    if (code === 'beginCapture') capturing = true;
    else if (code === 'endCapture') capturing = false;
    const isAlone = !capturing && !calls[index]?.length && code !== 'endRepeat' && code !== 'multiCopy';
    const known = before && isAlone ? again(instruction, index, shift, before) : null;
    const own = known
      ? [known]
      : code === 'endRepeat'
        ? [{ ...stepsOf.blank(instruction), jump: places[instruction.start] ?? -1 }]
        : stepsOf.of(instruction, capturing && isCapturable(instruction), calls[index] ?? none);
    for (const step of own) {
      steps.push(step);
      ops.push(op);
    }
    alone.push(isAlone && own.length === 1 ? (own[0] ?? null) : null);
  }
  return { instructions, alone, steps, ops };
}
