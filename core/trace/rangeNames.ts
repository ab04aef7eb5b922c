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
