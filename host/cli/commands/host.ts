/** `copyscope host`: the machines whose GPUs are used from here. */
import { join } from 'node:path';
import { CopyscopeError } from '../../../core/errors.ts';
import { formatBytes } from '../../../core/units.ts';
import { type Machine, MachineStore } from '../../machines/machineStore.ts';
import { addMachine, fetchResults, planMachine, removeMachine, requireFetched } from '../../machines/manage.ts';
import { dataFolder } from '../../paths.ts';
import { Assets } from '../../service/assets.ts';
import { RunStore } from '../../service/runStore.ts';
import { SlurmSettingsStore } from '../../slurm/settingsStore.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';
import { table } from '../render/text.ts';
import { describeReport } from './devices.ts';

export interface AddHostOptions {
  readonly yes: boolean;
  readonly replace: boolean;
  readonly node?: string | undefined;
}

export interface RemoveHostOptions {
  readonly yes: boolean;
  readonly discard: boolean;
  readonly forget: boolean;
}

export async function addHost(context: Context, name: string, options: AddHostOptions): Promise<void> {
  const { terminal, environment } = context;
  const store = new MachineStore(dataFolder(environment));
  const planned = await planMachine(name, options, context);
  terminal.err(planned.says);
  await agree(context, options.yes);
  const line = statusLine(terminal);
  const onTaken = (done: number, total: number): void =>
    line.show(`Copying to ${name}: ${formatBytes(done)} of ${formatBytes(total)}`);
  const report = await addMachine(planned, store, environment, onTaken).finally(line.clear);
  terminal.out(describeReport(report, terminal.colors));
  terminal.err(`${name} is set up. Use it with --host ${name}.`);
}

export async function listHosts({ terminal, environment }: Context, json: boolean): Promise<void> {
  const machines = await new MachineStore(dataFolder(environment)).list();
  if (json) await terminal.json({ format: 'copyscope/machines', version: 1, machines });
  else if (machines.length === 0) terminal.err('No machine is set up. copyscope host add NAME sets one up.');
  else terminal.out(table(machines.map(row)));
}

const row = ({ name, system, version, addedAt }: Machine): string[] => [
  name,
  system,
  `Copyscope ${version}`,
  `since ${addedAt.slice(0, 10)}`,
];

export async function removeHost(context: Context, name: string, options: RemoveHostOptions): Promise<void> {
  const { terminal, environment } = context;
  const store = new MachineStore(dataFolder(environment));
  await store.require(name);
  if (!options.forget) {
    if (!options.discard) await requireFetched(name, environment);
    terminal.err(`~/.local/share/copyscope-host of your user on ${name} will be deleted.`);
    await agree(context, options.yes);
    await removeMachine(name, store, environment);
  } else await store.remove(name);
  await new SlurmSettingsStore(dataFolder(environment)).remove(name);
  terminal.err(options.forget ? `${name} is forgotten; what is there stays.` : `${name} is removed.`);
}

/** Adds results that wait there to the library. */
export async function fetchFromHost(context: Context, name: string): Promise<void> {
  const { terminal, environment, program } = context;
  const data = dataFolder(environment);
  const { build } = await new MachineStore(data).require(name);
  const runs = new RunStore(join(data, 'runs'), new Assets(join(program, 'assets')));
  const line = statusLine(terminal);
  const onReceived = (received: number, total: number): void =>
    line.show(`Fetching: ${formatBytes(received)} of ${formatBytes(total)}`);
  const options = { host: name, build, environment, onReceived };
  const fetched = await fetchResults(options, runs, ({ id }) => {
    line.clear();
    terminal.out(id);
  }).finally(line.clear);
  const { runs: count, running } = fetched;
  const goesOn = running === 0 ? '' : ` ${running} in progress there.`;
  terminal.err(`${count === 1 ? '1 run was' : `${count} runs were`} fetched from ${name}.${goesOn}`);
}

/** Rejects with `usage.yes` where nobody can be asked, and with `run.cancelled` where the answer is no. */
async function agree({ terminal }: Context, yes: boolean): Promise<void> {
  if (yes) return;
  if (terminal.ask === undefined) {
    throw new CopyscopeError({
      code: 'usage.yes',
      field: '--yes',
      message: 'there is no terminal to ask at.',
      remedy: 'Say --yes if this is what you want.',
    });
  }
  if (await terminal.ask('Go on? [y/N] ')) return;
  throw new CopyscopeError({ code: 'run.cancelled', message: 'Nothing was changed.' });
}
