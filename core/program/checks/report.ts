/** Input and output of a check. */
import type { Program } from '../program.ts';

export type UncheckedProgram = Omit<Program, 'expectations' | 'results' | 'unverifiable'>;

/** Reports a wrong operation (by number, or a path in the document) with the remedy. */
export type Report = (where: number | readonly (string | number)[], message: string, remedy: string) => void;
