/**
 * The memory events of PyTorch's profiler (profile_memory=True): an instant named "[memory]" for each block that an
 * allocator hands out or takes back. In a trace they are ranges without duration on the thread that asked, whose bytes
 * are the block's and whose names say what happened and where.
 */
export const memoryEvent = '[memory]';

/** before: what was allocated when the first event came, as its totals tell. */
export type MemoryAction = 'allocate' | 'free' | 'before';

export interface MemoryChange {
  readonly action: MemoryAction;
  /** Id of the device; empty for host memory. */
  readonly device: string;
}

const host = 'host';

export const memoryEventName = ({ action, device }: MemoryChange): string =>
  `${memoryEvent} ${action} ${device === '' ? host : device}`;

/** Null for a range of another name. */
export function readMemoryEventName(name: string): MemoryChange | null {
  const [start, action, device, ...rest] = name.split(' ');
  if (start !== memoryEvent || device === undefined || rest.length > 0) return null;
  if (action !== 'allocate' && action !== 'free' && action !== 'before') return null;
  return { action, device: device === host ? '' : device };
}
