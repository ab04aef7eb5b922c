/** The chosen changes: single ones, or all of a remedy. */
import { type ChangeWord, changeWords } from '../../core/lift/changes/words.ts';

export type Choice = readonly ChangeWord[];

/** Pairs of changes that exclude each other. */
const excluded: readonly (readonly [ChangeWord, ChangeWord])[] = [
  ['pin', 'pin-each-step'],
  ['remove-wait', 'delay-wait'],
];

const otherOf = (word: ChangeWord): ChangeWord[] =>
  excluded.flatMap(([a, b]) => (word === a ? [b] : word === b ? [a] : []));

export const isOn = (choice: Choice, changes: Choice): boolean => changes.every((word) => choice.includes(word));

/** Adds the missing changes in place of those that they exclude, or removes all if none is missing. */
export function toggled(choice: Choice, changes: Choice): Choice {
  if (isOn(choice, changes)) return choice.filter((word) => !changes.includes(word));
  const against = changes.flatMap(otherOf);
  return changeWords.filter((word) => changes.includes(word) || (choice.includes(word) && !against.includes(word)));
}

/** Returns the changes of all remedies of a plan in their usual order. */
export const wordsOf = (plan: readonly { readonly changes: Choice }[]): Choice =>
  changeWords.filter((word) => plan.some(({ changes }) => changes.includes(word)));
