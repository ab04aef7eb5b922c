/** Records of a recording and their fields, described in native/record/format.h. */
import { copyWords, memoryWords } from '../copyName.ts';

export const recordKinds = {
  text: 1,
  thread: 2,
  call: 3,
  copy: 4,
  memset: 5,
  kernel: 6,
  synchronisation: 7,
  eventRecord: 8,
  range: 9,
  frame: 10,
  stack: 11,
  device: 12,
  problem: 13,
  dropped: 14,
  window: 15,
  end: 16,
  step: 17,
  steps: 18,
} as const;

/** Smallest size of each record's fields; shorter records aren't read. */
export const leastBytes: Readonly<Record<number, number>> = {
  [recordKinds.text]: 4,
  [recordKinds.thread]: 8,
  [recordKinds.call]: 57,
  [recordKinds.copy]: 60,
  [recordKinds.memset]: 45,
  [recordKinds.kernel]: 40,
  [recordKinds.synchronisation]: 41,
  [recordKinds.eventRecord]: 28,
  [recordKinds.range]: 24,
  [recordKinds.frame]: 16,
  [recordKinds.stack]: 4,
  [recordKinds.device]: 32,
  [recordKinds.problem]: 5,
  [recordKinds.dropped]: 16,
  [recordKinds.window]: 9,
  [recordKinds.end]: 8,
  [recordKinds.step]: 17,
  [recordKinds.steps]: 8,
};

/** Size of a copy's call with addresses. */
export const copyCallBytes = 65;

export const callRoles = { launch: 0, copy: 1, memset: 2, wait: 3, event: 4, pin: 5, unpin: 6, allocate: 7, free: 8 };

export const problems = { noCupti: 1, otherSubscriber: 2, cuptiFailed: 3, storage: 4 } as const;

/** CUPTI's number of a stream's wait for an event among its synchronisations. */
export const streamWaitType = 2;

/** Reads a 64-bit number. Times and bytes have at most 53 bits; larger numbers are damage and not a time. */
export const u64 = (view: DataView, at: number): number =>
  view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);

const memoryWord = (memory: number): string => memoryWords[memory] ?? 'Unknown';

export const copyNameOf = (kind: number, src: number, dst: number): string =>
  `Memcpy ${copyWords[kind] ?? ''} (${memoryWord(src)} -> ${memoryWord(dst)})`.replace('  ', ' ');

export const memsetNameOf = (memory: number): string => `Memset (${memoryWord(memory)})`;
