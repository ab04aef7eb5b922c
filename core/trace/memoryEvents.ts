/**
 * Memory events of PyTorch's profiler (profile_memory=True): an instant named "[memory]" for each block that an
 * allocator hands out or takes back. In a trace they are ranges without duration on the requesting thread. `bytes` is
 * the block's size; the name gives action and device.
 */
export const memoryEvent = '[memory]';

/** before: memory that was allocated before the first event, derived from its totals. */
export type MemoryAction = 'allocate' | 'free' | 'before';

export interface MemoryChange {
  readonly action: MemoryAction;
  /** Id of the device; empty for host memory. */
  readonly device: string;
}

const host = 'host';

export const memoryEventName = ({ action, device }: MemoryChange): string =>
  `${memoryEvent} ${action} ${device === '' ? host : device}`;

/** Returns null if the range isn't a memory event. */
export function readMemoryEventName(name: string): MemoryChange | null {
  const [start, action, device, ...rest] = name.split(' ');
  if (start !== memoryEvent || device === undefined || rest.length > 0) return null;
  if (action !== 'allocate' && action !== 'free' && action !== 'before') return null;
  return { action, device: device === host ? '' : device };
}
