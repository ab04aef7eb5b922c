/** The cluster that a command hands jobs to: that of the machine that `--host` names, or this one's own. */

import type { LineState } from '../machines/machineChild.ts';
import { dataFolder } from '../paths.ts';
import { type Cluster, localCluster, remoteCluster } from '../slurm/cluster.ts';
import type { Context } from './io.ts';
import { machineOptions } from './remoteEngine.ts';

interface LineOptions {
  /** Ends the attempts to get a lost line back; the command's own where left out. */
  readonly signal?: AbortSignal;
  readonly onLine?: (state: LineState) => void;
}

/** Rejects with `host.*` where the machine isn't set up for this version. */
export async function clusterOf(
  host: string | undefined,
  context: Context,
  { signal = context.signal, onLine }: LineOptions = {},
): Promise<Cluster> {
  const { environment, program } = context;
  if (host === undefined) return localCluster(program, dataFolder(environment), environment);
  const options = await machineOptions(host, context);
  return remoteCluster({
    ...options,
    signal,
    onLine: (state, why) => {
      onLine?.(state);
      options.onLine?.(state, why);
    },
  });
}
