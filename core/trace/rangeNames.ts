/** Names of ranges that a recorder makes itself, unlike marks of the program or its framework. */

const osRuntime = 'OS runtime: ';

/** Returns the name for a call of an operating system library, such as poll or pthread_cond_wait. */
export const osRuntimeName = (call: string): string => `${osRuntime}${call}`;
export const isOsRuntimeName = (name: string): boolean => name.startsWith(osRuntime);

/** Returns the name of a Python function on a call's stack, in the notation of PyTorch's profiler. */
export const pythonFrameName = (file: string, line: number, name: string): string => `${file}(${line}): ${name}`;
/** Returns the name of a native function on a call's stack: library or program, and symbol. */
export const nativeFrameName = (module: string, symbol: string): string => `[${module}] ${symbol}`;

const frame = /\.py\(\d+\): |^<built-in|^nn\.Module: |^\[[^\]\s]+\] \S/;

/** Returns whether a range is a function on a stack. Memory events begin alike but have no duration. */
export const isFrameName = (name: string): boolean => frame.test(name);

/**
 * Memory events of PyTorch's profiler (profile_memory=True): an instant named "[memory]" for each block that an
 * allocator hands out or takes back. In a trace they are ranges without duration on the requesting thread. `bytes` is
 * the block's size; the name gives action and device.
 */
export const memoryEvent = '[memory]';

/** before: memory that was allocated before the first event, derived from its totals. */
export type MemoryAction = 'allocate' | 'free' | 'before';

interface MemoryChange {
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
