/**
 * A program priced by a cost model: the steps that each host thread executes, worked out once. Of a program that differs from
 * the one before by an edit only what differs is worked out.
 */
import { isCapturable } from '../program/captures.ts';
import type { Instruction, Program, ProgramThread } from '../program/program.ts';
import type { CostModel } from './costModel.ts';
import { InstructionSteps } from './instructionSteps.ts';
import type { Step } from './step.ts';

/** What a host thread executes, in its instructions' order; most instructions are one step. */
export interface ThreadPlan {
  readonly steps: readonly Step[];
  /** Of each step the number of its operation. */
  readonly ops: readonly number[];
}

/** The plan of each host thread. */
export function planProgram(program: Program, costs: CostModel): readonly ThreadPlan[] {
  const before = last?.costs === costs && declaresTheSame(last.program, program) ? last.threads : [];
  const stepsOf = new InstructionSteps(program, costs);
  const threads = program.threads.map((thread, index) => planThread(thread, stepsOf, before[index]));
  last = program.operations.length > mostKept ? null : { costs, program, threads };
  return threads;
}

/** What decides what an instruction becomes, beside itself and the costs. */
const declarations = ['devices', 'buffers', 'streams', 'launchBlocking', 'peerAccess', 'warmups'] as const;

const declaresTheSame = (a: Program, b: Program): boolean => declarations.every((name) => isAlike(a[name], b[name]));

/** Values as JSON has them. There are thousands of buffers in a lifted trace: it ends at the first that differs. */
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
  /** By instruction: the step it became; null where it is several, or where others have part in what it is. */
  readonly alone: readonly (Step | null)[];
}

/** What was planned last: an edit leaves most instructions the very objects that they were. Longer programs are not kept. */
let last: {
  readonly costs: CostModel;
  readonly program: Program;
  readonly threads: readonly PlannedThread[];
} | null = null;
const mostKept = 150_000;

const isAlone = ({ code }: Instruction): boolean => code !== 'endRepeat' && code !== 'multiCopy';

/** Lowering takes over an instruction's fields as they are, so those of one that was only numbered anew are the same values. */
function isButForNumber(before: Instruction, now: Instruction): boolean {
  if (before.code !== now.code) return false;
  for (const field in now) {
    if (field !== 'op' && before[field as 'op'] !== now[field as 'op']) return false;
  }
  return true;
}

/** What an instruction became before, where only its number may be another one: operations before it came or went. */
function again(instruction: Instruction, index: number, shift: number, before: PlannedThread): Step | null {
  if (before.instructions[index] === instruction) return before.alone[index] ?? null;
  const old = before.instructions[index - shift];
  return old !== undefined && isButForNumber(old, instruction) ? (before.alone[index - shift] ?? null) : null;
}

/** `before` is of a program that declares the same. */
function planThread(
  { instructions }: ProgramThread,
  stepsOf: InstructionSteps,
  before: PlannedThread | undefined,
): PlannedThread {
  const steps: Step[] = [];
  const ops: number[] = [];
  const alone: (Step | null)[] = [];
  /** Where each instruction's first step stands, for loops to go back to. */
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
