/** What is done with machines, for the command line and for windows alike: each asks its user in between. */
import { CopyscopeError } from '../../core/errors.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import type { FetchedResults } from '../../core/service/machines.ts';
import type { RunSummary } from '../../core/service/service.ts';
import type { RunStore } from '../service/runStore.ts';
import { readBundle } from './bundle.ts';
import { fetchJobs } from './fetchJobs.ts';
import type { MachineOptions } from './machineChild.ts';
import type { MachineStore } from './machineStore.ts';
import { probe } from './probe.ts';
import { copyThere, deleteReplaced, firstReport, type Plan, plan, takeBack, uninstall } from './setup.ts';
import { requireHostName } from './ssh.ts';

export interface Here {
  /** Folder of this program. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** What setting a machine up would do. Changes nothing. Rejects with `host.*`. */
export async function planMachine(name: string, options: Parameters<typeof plan>[3], here: Here): Promise<Plan> {
  requireHostName(name);
  return plan(name, await readBundle(here.program), await probe(name, here.environment), options);
}

/**
 * Does it, and gives the devices and engines that it found there. From when it is copied the machine counts as set up, so
 * that it can be removed whatever becomes of the line or of this process; where it doesn't answer, until it is taken back.
 */
export async function addMachine(
  planned: Plan,
  store: MachineStore,
  environment: NodeJS.ProcessEnv,
  onTaken?: (done: number, total: number) => void,
): Promise<DeviceReport> {
  const before = (await store.list()).find(({ name }) => name === planned.host);
  const machine = await copyThere(planned, environment, onTaken);
  await store.put(machine);
  const { name: host, build } = machine;
  const report = await firstReport({ host, build, environment }).catch(async (thrown: unknown) => {
    // Where it can't be reached any more, why it did not answer is what counts.
    const isGone = await takeBack(planned, environment);
    if (isGone) await (before === undefined ? store.remove(host) : store.put(before));
    throw thrown;
  });
  await deleteReplaced(planned, environment);
  return report;
}

/** Rejects with `host.unfetched` where something is in progress there, or not fetched. */
export async function requireFetched(name: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const { jobs } = await probe(name, environment);
  if (jobs > 0) throw unfetched(name, jobs);
}

/** Deletes all of ours there, and forgets the machine. */
export async function removeMachine(name: string, store: MachineStore, environment: NodeJS.ProcessEnv): Promise<void> {
  await uninstall(name, environment);
  await store.remove(name);
}

/**
 * Brings results that wait there into the library; `onRun` hears of each that was not there. What a lost line has left there
 * can be asked for again.
 */
export async function fetchResults(
  options: MachineOptions,
  runs: RunStore,
  onRun: (run: RunSummary) => void,
): Promise<FetchedResults> {
  const { jobs, running } = await fetchJobs({ ...options, triesAgain: false }, async (_, file) => {
    const run = await runs.addFetched(file);
    if (run !== null) onRun(run);
  });
  return { runs: jobs.length, running };
}

const unfetched = (name: string, jobs: number): CopyscopeError =>
  new CopyscopeError({
    code: 'host.unfetched',
    message: `${jobs === 1 ? 'A run is' : `${jobs} runs are`} in progress on ${name}, or not fetched yet.`,
    remedy: `Get them with copyscope host fetch ${name}, or delete them with --discard.`,
  });
