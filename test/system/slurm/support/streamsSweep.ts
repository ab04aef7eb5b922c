/** A sweep of two points, and what Slurm is to do of it. */
import { requireSweep } from '../../../../core/sweep/parse.ts';
import type { SweepWork } from '../../../../host/slurm/work.ts';

export const plan = requireSweep({
  format: 'copyscope/sweep',
  version: 1,
  name: 'Streams',
  base: { template: 'chunked-pipeline' },
  axes: [{ parameter: 'streams', values: [1, 2] }],
});

/** `host` is null where this machine is the login node. */
export const workFrom = (host: string | null): SweepWork => ({
  format: 'copyscope/slurm-work',
  version: 1,
  createdAt: new Date(0).toISOString(),
  host,
  engine: 'cuda',
  profile: null,
  iterations: null,
  points: 2,
  sweep: plan.document,
});
