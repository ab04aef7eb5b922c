/** Names of changes to a program in the command line and its JSON. */
export const changeWords = [
  'keep-on-device',
  'move-to-device',
  'send-smaller',
  'load-in-workers',
  'keep-memory',
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
  'overlap-communication',
] as const;
export type ChangeWord = (typeof changeWords)[number];

export const isChangeWord = (word: string): word is ChangeWord => (changeWords as readonly string[]).includes(word);
