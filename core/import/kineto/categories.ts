/** Kineto's categories and calls, by what they become in the trace. */

export type EventClass = 'ignored' | 'range' | 'call' | 'kernel' | 'copy' | 'memset' | 'synchronisation';

/**
 * Lower-case; operator, runtime, memcpy and memset are what PyTorch 1.8 to 1.11 wrote. Of cuda_sync only the waits of
 * streams for events are taken: the others repeat the host's calls.
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

/** The name of a stream's wait for an event among the synchronisations. */
export const streamWait = 'Stream Wait Event';

/** Calls of the CUDA and HIP interfaces that return when what they wait for has completed. */
const waiting =
  /^(cuda(Stream|Event|Device|Thread)Synchronize|cu(Stream|Event|Ctx)Synchronize|hip(Stream|Event|Device)Synchronize)(_ptsz|_v2|_spt)?$/;

export const isWaitingCall = (name: string): boolean => waiting.test(name);
