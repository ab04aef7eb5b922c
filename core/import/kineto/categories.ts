/** Kineto's categories and calls, by the kind of row that they become. */

export type EventClass = 'ignored' | 'range' | 'call' | 'kernel' | 'copy' | 'memset' | 'synchronisation';

/**
 * Lower-case; PyTorch 1.8 to 1.11 wrote operator, runtime, memcpy and memset. Only streams' waits for events are used
 * from cuda_sync: the others repeat the host's calls.
 */
const classes: ReadonlyMap<string, EventClass> = new Map([
  ['cpu_op', 'range'],
  ['operator', 'range'],
  ['user_annotation', 'range'],
  ['python_function', 'range'],
  ['cuda_runtime', 'call'],
  ['cuda_driver', 'call'],
  ['runtime', 'call'],
  ['kernel', 'kernel'],
  ['gpu_memcpy', 'copy'],
  ['memcpy', 'copy'],
  ['gpu_memset', 'memset'],
  ['memset', 'memset'],
  ['cuda_sync', 'synchronisation'],
]);

export const classOf = (category: string): EventClass => classes.get(category.toLowerCase()) ?? 'ignored';

/** Name of a stream's wait for an event among the synchronisations. */
export const streamWait = 'Stream Wait Event';

/** CUDA and HIP calls that return when the awaited work has completed. */
const waiting =
  /^(cuda(Stream|Event|Device|Thread)Synchronize|cu(Stream|Event|Ctx)Synchronize|hip(Stream|Event|Device)Synchronize)(_ptsz|_v2|_spt)?$/;

export const isWaitingCall = (name: string): boolean => waiting.test(name);
