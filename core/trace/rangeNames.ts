/** Names of ranges that a recorder makes of something else than what a program or its framework marked. */

const osRuntime = 'OS runtime: ';

/** A call of the operating system's libraries, as poll or pthread_cond_wait: where a host thread was, and no mark. */
export const osRuntimeName = (call: string): string => `${osRuntime}${call}`;
export const isOsRuntimeName = (name: string): boolean => name.startsWith(osRuntime);

/** A Python function on the stack of a call, as PyTorch's profiler writes it. */
export const pythonFrameName = (file: string, line: number, name: string): string => `${file}(${line}): ${name}`;
/** A function of compiled code on the stack of a call: its library or program, and its symbol. */
export const nativeFrameName = (module: string, symbol: string): string => `[${module}] ${symbol}`;

const frame = /\.py\(\d+\): |^<built-in|^nn\.Module: |^\[[^\]\s]+\] \S/;

/** Whether a range is a function on a stack. Memory events, which begin alike, have no duration and are none. */
export const isFrameName = (name: string): boolean => frame.test(name);
