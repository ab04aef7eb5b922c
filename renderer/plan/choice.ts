/** Which changes are chosen: each by itself, or all those of a remedy. */
import { type ChangeWord, changeWords } from '../../core/lift/changes/words.ts';

export type Choice = readonly ChangeWord[];

/** Of each pair a program can do one only. */
const excluded: readonly (readonly [ChangeWord, ChangeWord])[] = [
  ['pin', 'pin-each-step'],
  ['remove-wait', 'delay-wait'],
];

const otherOf = (word: ChangeWord): ChangeWord[] =>
  excluded.flatMap(([a, b]) => (word === a ? [b] : word === b ? [a] : []));

export const isOn = (choice: Choice, changes: Choice): boolean => changes.every((word) => choice.includes(word));

/** Adds what of `changes` is missing, in place of what excludes it; or takes all of them away where all are there. */
export function toggled(choice: Choice, changes: Choice): Choice {
  if (isOn(choice, changes)) return choice.filter((word) => !changes.includes(word));
  const against = changes.flatMap(otherOf);
  return changeWords.filter((word) => changes.includes(word) || (choice.includes(word) && !against.includes(word)));
}

/** Words that some remedy of a plan has, in their usual order. */
export const wordsOf = (plan: readonly { readonly changes: Choice }[]): Choice =>
  changeWords.filter((word) => plan.some(({ changes }) => changes.includes(word)));
