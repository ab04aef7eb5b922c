/** The cluster that a command hands jobs to: that of the machine that `--host` names, or this one's own. */

import { dataFolder } from '../paths.ts';
import { type Cluster, localCluster, remoteCluster } from '../slurm/cluster.ts';
import type { Context } from './io.ts';
import { machineOptions } from './remoteEngine.ts';

/** Rejects with `host.*` where the machine isn't set up for this version. */
export async function clusterOf(host: string | undefined, context: Context): Promise<Cluster> {
  const { environment, program, signal } = context;
  if (host === undefined) return localCluster(program, dataFolder(environment), environment);
  return remoteCluster({ ...(await machineOptions(host, context)), signal });
}
