/** One run of a copy (or of a kernel that had to wait), with its finding. */
import type { Activity } from '../../trace/iteration.ts';
import type { Finding } from './finding.ts';
import type { Pair } from './pair.ts';
import type { Partner } from './partner.ts';

export interface Occurrence {
  readonly copy: Activity;
  /** Null if no kernel ran on its device. */
  readonly partner: Partner | null;
  /** Copy and partner in the order in which they ran; null if they overlapped, or there is no partner. */
  readonly pair: Pair | null;
  readonly finding: Finding;
  /** Time during which any kernel ran too. */
  readonly overlapNs: number;
  /** Cost in the makespan (cost.ts). */
  readonly costNs: number;
}
