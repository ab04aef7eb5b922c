/** Parts of experiments, as short as they can be written: what the recorded sets are put together from. */

export type HostMemory = 'pinned' | 'pageable' | 'pinned-write-combined' | 'mapped' | 'registered';

export const host = (id: string, memory: HostMemory, bytes: number, seed = 1) => ({
  ...{ id, memory, bytes, pattern: { kind: 'random' as const, seed } },
});
export const device = (id: string, bytes: number, seed = 2) => ({
  ...{ id, memory: 'device' as const, bytes, pattern: { kind: 'random' as const, seed } },
});
export const made = (id: string, bytes: number) => ({
  ...{ id, memory: 'device' as const, bytes, allocated: 'by-operation' as const },
});
export const nonBlocking = (...ids: string[]) => ids.map((id) => ({ id, flags: 'non-blocking' as const }));
export const copy = (src: string, dst: string, stream = 'a', more: object = {}) => ({
  ...{ op: 'copy' as const, src, dst, stream },
  ...more,
});
export const spin = (us: number, stream = 'a', more: object = {}) => ({
  ...{ op: 'kernel' as const, kernel: { kind: 'spin' as const, durationNs: us * 1000 }, stream },
  ...more,
});
export const streaming = (passes: number, reads: string, writes: string, stream = 'a', smShare = 1) => ({
  ...{ op: 'kernel' as const, kernel: { kind: 'stream' as const, passes }, reads: [reads], writes: [writes] },
  ...{ stream, smShare },
});
export const arithmetic = (flops: number, stream = 'a', smShare = 1) => ({
  ...{ op: 'kernel' as const, kernel: { kind: 'arithmetic' as const, flops }, stream, smShare },
});
export const end = { op: 'synchronizeDevice' as const };
export const record = (event: string, stream = 'a') => ({ op: 'recordEvent' as const, event, stream });
export const wait = (event: string, stream: string) => ({ op: 'waitEvent' as const, event, stream });
export const repeat = (count: number, ...operations: unknown[]) => ({ op: 'repeat' as const, count, operations });
