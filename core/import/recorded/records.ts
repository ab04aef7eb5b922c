/** The records of a recording, with their fields: native/record/format.h says what they are. */

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

/** The least bytes of a record's fields; one that has fewer is not read. */
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

/** Bytes of the call of a copy that was given addresses. */
export const copyCallBytes = 65;

export const callRoles = { launch: 0, copy: 1, memset: 2, wait: 3, event: 4, pin: 5, unpin: 6, allocate: 7, free: 8 };

export const problems = { noCupti: 1, otherSubscriber: 2, cuptiFailed: 3, storage: 4 } as const;

/** CUPTI's number of a stream's wait for an event among its synchronisations. */
export const streamWaitType = 2;

/** A 64-bit number. Times and bytes have at most 53 bits; what has more is damage, and isn't a time. */
export const u64 = (view: DataView, at: number): number =>
  view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);

/** As CUPTI numbers them, in Kineto's words. */
const copyWords = ['', 'HtoD', 'DtoH', 'HtoA', 'AtoH', 'AtoA', 'AtoD', 'DtoA', 'DtoD', 'HtoH', 'PtoP'];
const memoryWords = ['Unknown', 'Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device Static', 'Managed Static'];

const memoryWord = (memory: number): string => memoryWords[memory] ?? 'Unknown';

export const copyNameOf = (kind: number, src: number, dst: number): string =>
  `Memcpy ${copyWords[kind] ?? ''} (${memoryWord(src)} -> ${memoryWord(dst)})`.replace('  ', ' ');

export const memsetNameOf = (memory: number): string => `Memset (${memoryWord(memory)})`;
