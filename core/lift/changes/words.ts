/** The words for changes to a program, as the command line and its JSON use them. */
export const changeWords = [
  'pin',
  'pin-each-step',
  'non-blocking',
  'other-stream',
  'prefetch',
  'remove-wait',
  'delay-wait',
  'batch',
  'both-directions',
  'graph',
  'other-thread',
  'double-buffer',
] as const;
export type ChangeWord = (typeof changeWords)[number];

export const isChangeWord = (word: string): word is ChangeWord => (changeWords as readonly string[]).includes(word);
