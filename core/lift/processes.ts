/** Which process of a trace a host thread belongs to: threads of one program are of one process. */
import type { Trace } from '../trace/trace.ts';

const processOf = /^thread:([^:]+):/;

/** Of a host thread's lane, as "[TP00] 424"; empty where lanes don't tell theirs. */
export const processOfLane = ({ lanes }: Trace, lane: number): string =>
  processOf.exec(lanes[lane]?.id ?? '')?.[1] ?? '';
