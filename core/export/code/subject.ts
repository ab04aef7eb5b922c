/** What a program is written from: the experiment as it stands, and the program that it is lowered to. */
import type { Experiment } from '../../experiment/experiment.ts';
import { lower } from '../../program/lower.ts';
import type { Instruction, MultiCopyPlan, Program, ProgramBuffer, ProgramStream } from '../../program/program.ts';
import { valueAtPath } from '../../shape/path.ts';
import { type Marks, marksOf, noMarks } from './marks.ts';

export interface Subject {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly instructions: readonly Instruction[];
  /** What a remedy has changed in it. */
  readonly marks: Marks;
}

/** Throws `experiment.invalid` for what no engine could execute. */
export function subjectOf(experiment: Experiment, before?: Experiment): Subject {
  const program = lower(experiment);
  const marks = before === undefined ? noMarks : marksOf(before, experiment);
  return { experiment, program, instructions: program.threads.flatMap(({ instructions }) => instructions), marks };
}

/** What stands over an operation: what its author called it, and what a remedy has to do with it. */
export function commentsOf(subject: Subject, op: number): string[] {
  return [ownLabel(subject, op), subject.marks.operations.get(op)].filter((text) => text != null);
}

/** What its author called an operation; null where nobody did. */
function ownLabel({ experiment, program }: Subject, op: number): string | null {
  const found = valueAtPath(experiment, program.operations[op]?.path ?? []);
  const label = (found as { label?: unknown } | undefined)?.label;
  return typeof label === 'string' ? label : null;
}

export function required<Item>(list: readonly Item[], index: number): Item {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no entry ${index}`);
  return item;
}

export const bufferOf = ({ program }: Subject, index: number): ProgramBuffer => required(program.buffers, index);
export const streamOf = ({ program }: Subject, index: number): ProgramStream => required(program.streams, index);

/** The byte that fills a buffer. Numbers of every format are ordinary ones then. */
export const fillByte = ({ pattern: { kind } }: Pick<ProgramBuffer, 'pattern'>): string =>
  kind.includes('float') ? '0x3c' : '1';

export const isOnDevice = ({ memory }: Pick<ProgramBuffer, 'memory'>): boolean => memory === 'device';

/** The sizes that are repeated, and how many there are in all: what a person would write of a list that repeats. */
export function sizesOf({ sizes }: MultiCopyPlan): { readonly each: readonly number[]; readonly count: number } {
  const list = [...sizes];
  for (let period = 1; period <= Math.min(list.length, 1000); period += 1) {
    if (list.every((size, index) => size === list[index % period]))
      return { each: list.slice(0, period), count: list.length };
  }
  return { each: list, count: list.length };
}
