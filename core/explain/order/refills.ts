/** Finds calls after which the host may fill its memory again, and work that runs again before any of them. */
import type { Instruction } from '../../program/instructions.ts';
import type { Program } from '../../program/program.ts';
import { isPageable } from './calls.ts';

const waits: ReadonlySet<Instruction['code']> = new Set([
  'synchronizeStream',
  'synchronizeEvent',
  'synchronizeDevice',
  'queryStream',
  'queryEvent',
  'elapsedTime',
  'item',
  'waitSignal',
  'allocate',
  'free',
]);

/** Returns whether the host may know after this call that copies have read their source. */
export function letsHostFill(one: Instruction, { buffers }: Program): boolean {
  if (one.code !== 'copy') return waits.has(one.code);
  return one.blocking || [one.src, one.dst].some((buffer) => isPageable(buffers[buffer]));
}

/** Returns whether one of these operations runs again before the host could fill what they read. */
export function runsAgainBeforeRefill(program: Program, ops: ReadonlySet<number>): boolean {
  return program.threads.some(({ instructions }) => {
    /** Place of the last fill, and of the last run after it. */
    let [filled, ran] = [-1, -1];
    return instructions.some((one, at) => {
      if (letsHostFill(one, program)) [filled, ran] = [at, -1];
      if (one.code === 'endRepeat') return ran > one.start && filled < one.start;
      if (!ops.has(one.op) || one.code !== 'kernel') return false;
      const isAgain = ran >= 0;
      ran = at;
      return isAgain;
    });
  });
}
