/** One time that a copy ran (or a kernel that had to wait), and what was found of it. */
import type { Activity } from '../trace/iteration.ts';
import type { Finding } from './finding.ts';
import type { Pair } from './pair.ts';
import type { Partner } from './partner.ts';

export interface Occurrence {
  readonly copy: Activity;
  /** Null where no kernel ran on its device. */
  readonly partner: Partner | null;
  /** The copy and its partner in the order they ran; null where they overlapped, or there is no partner. */
  readonly pair: Pair | null;
  readonly finding: Finding;
  /** Time during which any kernel ran too. */
  readonly overlapNs: number;
  /** What it costs the makespan (cost.ts). */
  readonly costNs: number;
}
