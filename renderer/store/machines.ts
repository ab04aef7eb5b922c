/** Other machines, as the host tells of them. */
import type { ClusterState, MachineState } from '../../core/service/machines.ts';
import { announce } from './announce.ts';
import { attempt, host } from './host.ts';
import { assign, state } from './store.ts';
import type { AppState } from './types.ts';

export const machineNamed = (machines: readonly MachineState[], name: string | undefined): MachineState | undefined =>
  machines.find((machine) => machine.name === name);

/** Whether there was a line, and there is none now. */
export const hasLostLine = ({ line, problem }: MachineState): boolean =>
  line === 'lost' || (line === 'connecting' && problem !== null);

/** Its devices are asked for when somebody wants it: ssh may have questions. */
export const connectMachine = (name: string): Promise<void> =>
  attempt(`${name} could not be reached`, async () => onMachineChanged(name, await host().connectMachine(name)));

/** The same, unless there is a line already. */
export async function needMachine(name: string): Promise<void> {
  const known = machineNamed(state().machines, name);
  if (known?.line !== 'up' && known?.line !== 'connecting') await connectMachine(name);
}

/** Clusters that jobs can be handed to: other machines by their names, and this one, which is null. */
export const clustersOf = ({ ownCluster, machines }: Pick<AppState, 'ownCluster' | 'machines'>): (string | null)[] => [
  ...(ownCluster === null ? [] : [null]),
  ...machines.flatMap(({ name, slurm, version }) => (slurm !== null && version !== null ? name : [])),
];

/** As a select says which cluster is chosen, and back. A machine's name has no space. */
export const clusterValue = (cluster: string | null): string => (cluster === null ? 'own slurm' : `slurm ${cluster}`);

export const clusterLabel = (cluster: string | null): string => cluster ?? 'this machine';

export function onOwnClusterChanged(changed: ClusterState): void {
  const before = state().ownCluster;
  assign({ ownCluster: changed });
  announceCalibration(before, changed);
}

/** Whoever looks elsewhere hears how it ended. */
function announceCalibration(before: ClusterState | null | undefined, { calibration }: ClusterState): void {
  if (before?.calibration?.isUnderWay !== true || calibration === null || calibration.isUnderWay) return;
  const { profile, error } = calibration;
  announce(profile === null ? `The calibration has ended: ${error?.message ?? ''}` : `The profile ${profile} is there`);
}

export function onMachineChanged(name: string, changed: MachineState | null): void {
  const before = machineNamed(state().machines, name);
  const others = state().machines.filter((machine) => machine.name !== name);
  const machines = changed === null ? others : [...others, changed].sort((a, b) => (a.name < b.name ? -1 : 1));
  assign({ machines });
  if (changed !== null) announceCalibration(before, changed);
  if (changed !== null) announceChange(before, changed);
}

/** What changes while one looks elsewhere: a line that drops or comes back, and work that ends. */
function announceChange(before: MachineState | undefined, now: MachineState): void {
  const { name, line, problem, work, fetched } = now;
  const wasLost = before !== undefined && hasLostLine(before);
  if (before !== undefined && !wasLost && hasLostLine(now)) announce(`No line to ${name}`);
  else if (wasLost && line === 'up') announce(`The line to ${name} is back`);
  if (before?.work == null || work !== null) return;
  if (problem !== null) announce(`${name}: ${problem.message}`);
  else if (before.work.what === 'adding') announce(`${name} is set up`);
  else if (fetched !== null && fetched.runs > 0) announce(`${fetchedWords(fetched.runs)} from ${name}`);
}

export const fetchedWords = (runs: number): string => (runs === 1 ? '1 result came' : `${runs} results came`);
