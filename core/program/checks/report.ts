/** What a check is given, and how it says what it found. */
import type { Program } from '../program.ts';

export type UncheckedProgram = Omit<Program, 'expectations' | 'results' | 'unverifiable'>;

/** Says what is wrong with an operation (its number, or a path in the document) and what to do about it. */
export type Report = (where: number | readonly (string | number)[], message: string, remedy: string) => void;
