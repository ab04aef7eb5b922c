/** Prices a program with a cost model: each host thread's steps. After an edit, only changes are priced again. */
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
  const before = last?.costs === costs && declaresTheSame(last.program, program) ? last.threads : [];
  const stepsOf = new InstructionSteps(program, costs);
  const threads = program.threads.map((thread, index) => planThread(thread, stepsOf, before[index]));
  last = program.operations.length > mostKept ? null : { costs, program, threads };
  return threads;
}

/** Fields of a program, besides instruction and costs, that decide an instruction's steps. */
const declarations = ['devices', 'buffers', 'streams', 'launchBlocking', 'peerAccess', 'warmups'] as const;

const declaresTheSame = (a: Program, b: Program): boolean => declarations.every((name) => isAlike(a[name], b[name]));

/** Compares JSON values. Stops at the first difference, since a lifted trace has thousands of buffers. */
function isAlike(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isAlike((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

interface PlannedThread extends ThreadPlan {
  readonly instructions: readonly Instruction[];
  /** Step of each instruction; null if it has several, or depends on other instructions. */
  readonly alone: readonly (Step | null)[];
}

/** Last plan. An edit keeps most instructions as the same objects. Plans of longer programs aren't kept. */
let last: {
  readonly costs: CostModel;
  readonly program: Program;
  readonly threads: readonly PlannedThread[];
} | null = null;
const mostKept = 150_000;

const isAlone = ({ code }: Instruction): boolean => code !== 'endRepeat' && code !== 'multiCopy';

/** Lowering copies field references, so an instruction that was only renumbered has the same field values. */
function isButForNumber(before: Instruction, now: Instruction): boolean {
  if (before.code !== now.code) return false;
  for (const field in now) {
    if (field !== 'op' && before[field as 'op'] !== now[field as 'op']) return false;
  }
  return true;
}

/** Returns an instruction's earlier step if at most its number changed, because operations before it came or went. */
function again(instruction: Instruction, index: number, shift: number, before: PlannedThread): Step | null {
  if (before.instructions[index] === instruction) return before.alone[index] ?? null;
  const old = before.instructions[index - shift];
  return old !== undefined && isButForNumber(old, instruction) ? (before.alone[index - shift] ?? null) : null;
}

/** `before` is of a program with the same declarations. */
function planThread(
  { instructions }: ProgramThread,
  stepsOf: InstructionSteps,
  before: PlannedThread | undefined,
): PlannedThread {
  const steps: Step[] = [];
  const ops: number[] = [];
  const alone: (Step | null)[] = [];
  /** Index of each instruction's first step, for jumps of loops. */
  const places = new Int32Array(instructions.length);
  const shift = instructions.length - (before?.instructions.length ?? 0);
  let capturing = false;
  for (let index = 0; index < instructions.length; index += 1) {
    const instruction = instructions[index] as Instruction;
    places[index] = steps.length;
    if (instruction.code === 'beginCapture') capturing = true;
    else if (instruction.code === 'endCapture') capturing = false;
    const known = before === undefined || capturing ? null : again(instruction, index, shift, before);
    if (known !== null) {
      steps.push(known);
      ops.push(instruction.op);
      alone.push(known);
      continue;
    }
    const own = ownSteps(instruction, stepsOf, places, capturing);
    for (const step of own) {
      steps.push(step);
      ops.push(instruction.op);
    }
    alone.push(own.length === 1 && !capturing && isAlone(instruction) ? (own[0] ?? null) : null);
  }
  return { instructions, alone, steps, ops };
}

function ownSteps(
  instruction: Instruction,
  stepsOf: InstructionSteps,
  places: Int32Array,
  capturing: boolean,
): readonly Step[] {
  if (instruction.code !== 'endRepeat') return stepsOf.of(instruction, capturing && isCapturable(instruction));
  return [{ ...stepsOf.blank(instruction), jump: places[instruction.start] ?? -1 }];
}
