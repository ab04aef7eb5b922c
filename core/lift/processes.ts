/** Finds the process of a host thread. Threads of one program have the same process. */
import type { Trace } from '../trace/trace.ts';

const processOf = /^thread:([^:]+):/;

/** Returns the process in a host thread's lane, such as "[TP00] 424"; empty if lanes don't name it. */
export const processOfLane = ({ lanes }: Trace, lane: number): string =>
  processOf.exec(lanes[lane]?.id ?? '')?.[1] ?? '';
