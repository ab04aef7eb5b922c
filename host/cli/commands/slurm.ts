/** `copyscope slurm`: what a cluster is told with every job, and what is in progress there. */

import type { WorkSummary } from '../../../core/service/machines.ts';
import { requireSettings, type SlurmSettings } from '../../../core/slurm/settings.ts';
import { describedSubmission } from '../../../core/slurm/submission.ts';
import { dataFolder } from '../../paths.ts';
import { SlurmSettingsStore } from '../../slurm/settingsStore.ts';
import { clusterOf } from '../clusterOf.ts';
import type { Context } from '../io.ts';
import { table } from '../render/text.ts';

interface OnHost {
  readonly host?: string | undefined;
}

export interface SlurmSetOptions extends OnHost {
  readonly partition?: string | undefined;
  readonly account?: string | undefined;
  readonly gpus?: string | undefined;
  readonly time?: string | undefined;
  readonly atOnce?: number | undefined;
  readonly line: readonly string[];
  readonly option: readonly string[];
}

/** What isn't named stays as it is; an empty text takes a setting away. */
export async function setSlurm(context: Context, { host, ...options }: SlurmSetOptions): Promise<void> {
  const store = new SlurmSettingsStore(dataFolder(context.environment));
  const kept = await store.get(host ?? null);
  const { partition, account, gpus, time, atOnce, line, option } = options;
  const given = Object.entries({ partition, account, gpus, time, atOnce }).filter(([, value]) => value !== undefined);
  const changed = { ...kept, ...Object.fromEntries(given), ...listed('lines', line), ...listed('options', option) };
  const settings = requireSettings(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== '')));
  await store.put(host ?? null, settings);
  context.terminal.out(describedSubmission(settings));
}

const listed = (name: 'lines' | 'options', given: readonly string[]): Partial<SlurmSettings> =>
  given.length === 0 ? {} : { [name]: given.filter((one) => one !== '') };

export async function showSlurm({ terminal, environment }: Context, { host }: OnHost, json: boolean): Promise<void> {
  const settings = await new SlurmSettingsStore(dataFolder(environment)).get(host ?? null);
  if (json) await terminal.json(settings);
  else terminal.out(describedSubmission(settings));
}

export async function listSlurm(context: Context, { host }: OnHost, json: boolean): Promise<void> {
  const { terminal } = context;
  const cluster = await clusterOf(host, context);
  const works = await cluster.slurmList().finally(() => cluster.close());
  if (json) await terminal.json({ format: 'copyscope/slurm-sweeps', version: 1, sweeps: works });
  else if (works.length === 0) terminal.err('Nothing of yours is there.');
  else terminal.out(table(works.map(row)));
}

const row = ({ id, name, createdAt, points, reached, active }: WorkSummary): string[] => [
  id,
  name,
  `${reached}/${points} points`,
  active === 0 ? 'nothing in progress' : `${active} jobs in progress`,
  `since ${createdAt.slice(0, 10)}`,
];

export async function cancelSlurm(context: Context, id: string, { host }: OnHost): Promise<void> {
  const cluster = await clusterOf(host, context);
  await cluster.slurmCancel(id).finally(() => cluster.close());
  context.terminal.err('Its jobs were cancelled. The command that began it goes on with it.');
}

/** Deletes what is kept there; what has come here stays in the library. */
export async function dropSlurm(context: Context, id: string, { host }: OnHost): Promise<void> {
  const cluster = await clusterOf(host, context);
  try {
    await cluster.slurmCancel(id);
    await cluster.slurmDrop(id);
  } finally {
    cluster.close();
  }
  context.terminal.err('It was cancelled, and what was kept of it there is deleted.');
}
