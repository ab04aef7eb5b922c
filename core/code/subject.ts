/** Input of a generated program: the experiment, and the program that it is lowered to. */
import type { Experiment } from '../experiment/experiment.ts';
import { lowerToWrite } from '../program/lower.ts';
import type { Instruction, MultiCopyPlan, Program, ProgramBuffer, ProgramStream } from '../program/program.ts';
import { valueAtPath } from '../shape/path.ts';
import { type Marks, marksOf, noMarks } from './marks.ts';

export interface Subject {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly instructions: readonly Instruction[];
  /** Changes made by a remedy. */
  readonly marks: Marks;
}

/** Throws `experiment.invalid` if no engine could execute it. */
export function subjectOf(experiment: Experiment, before?: Experiment): Subject {
  const program = lowerToWrite(experiment);
  const marks = before === undefined ? noMarks : marksOf(before, experiment);
  return { experiment, program, instructions: program.threads.flatMap(({ instructions }) => instructions), marks };
}

/** Returns comments above an operation: its author's label, and changes made by a remedy. */
export function commentsOf(subject: Subject, op: number): string[] {
  return [ownLabel(subject, op), subject.marks.operations.get(op)].filter((text) => text != null);
}

/** Returns an operation's label; null if its author gave none. */
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

/** Returns the byte that fills a buffer. It makes ordinary numbers in every format. */
export const fillByte = ({ pattern: { kind } }: Pick<ProgramBuffer, 'pattern'>): string =>
  kind.includes('float') ? '0x3c' : '1';

export const isOnDevice = ({ memory }: Pick<ProgramBuffer, 'memory'>): boolean => memory === 'device';

/** Returns the repeated sizes and the total count, for a list that repeats. */
export function sizesOf({ sizes }: MultiCopyPlan): { readonly each: readonly number[]; readonly count: number } {
  const list = [...sizes];
  for (let period = 1; period <= Math.min(list.length, 1000); period += 1) {
    if (list.every((size, index) => size === list[index % period]))
      return { each: list.slice(0, period), count: list.length };
  }
  return { each: list, count: list.length };
}
