/** `copyscope compare FILE --host A --host B`: one experiment on several machines, this one among them where it is named. */
import { join } from 'node:path';
import { CopyscopeError } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import {
  compareMachines,
  type MachineComparison,
  type MachineRun,
  machineMetrics,
  machinesFormat,
  machinesVersion,
} from '../../../core/sweep/machines.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { EngineSupervisor } from '../../engine/supervisor.ts';
import { writeWhole } from '../../service/files.ts';
import { cancelGraceThereMs } from '../../service/machines.ts';
import { readExperimentOf } from '../inputFile.ts';
import { engineOn } from '../remoteEngine.ts';
import { figureText } from '../render/sweep.ts';
import { limited, table } from '../render/text.ts';
import { execute, type RunOptions, type Tools, withEngine } from './run.ts';

export interface CompareMachinesOptions extends Omit<RunOptions, 'out'> {
  readonly host: readonly string[];
  /** A folder for the run of each machine. */
  readonly out?: string | undefined;
}

/** What this machine is called among others. */
const thisMachine = 'here';

/** Rejects with the first failure: a comparison that lacks a machine is none. */
export async function compareOnMachines(
  tools: Tools,
  file: string,
  other: string | undefined,
  options: CompareMachinesOptions,
): Promise<void> {
  const { context } = tools;
  requireDifferent(options.host, other);
  const experiment = await readExperimentOf(file, context);
  const runs: MachineRun[] = [];
  for (const [place, name] of options.host.entries()) {
    const bytes = await runOn(name, tools, experiment, options);
    if (options.out !== undefined) await writeWhole(join(options.out, fileName(place, name)), bytes);
    runs.push({ host: name === thisMachine ? null : name, run: decodeRun(bytes) });
  }
  const comparison = compareMachines(runs);
  const document = { format: machinesFormat, version: machinesVersion, name: experiment.name, ...comparison };
  if (options.json) await context.terminal.json(document);
  else context.terminal.out(drawMachines(experiment.name, comparison));
}

async function runOn(
  name: string,
  { context, assets, engine: own }: Tools,
  experiment: Experiment,
  options: CompareMachinesOptions,
): Promise<Uint8Array> {
  if (name === thisMachine) return run({ context, assets, engine: own }, experiment, options);
  const spawn = await engineOn(name, context);
  const engine = new EngineSupervisor({ spawn, host: name, cancelGraceMs: cancelGraceThereMs });
  try {
    return await run({ context, assets, engine }, experiment, options);
  } finally {
    engine.close();
  }
}

async function run(tools: Tools, experiment: Experiment, options: CompareMachinesOptions): Promise<Uint8Array> {
  const { host: _, out: _o, ...plain } = options;
  return (await execute(tools, experiment, await withEngine(tools, plain))).file;
}

/** Numbered, so that a name of a machine is never a path. */
const fileName = (place: number, name: string): string =>
  `${place + 1}-${name.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 100)}.arrow`;

function requireDifferent(names: readonly string[], other: string | undefined): void {
  if (other === undefined && names.length > 1 && new Set(names).size === names.length) return;
  throw new CopyscopeError({
    code: 'usage.invalid',
    field: '--host',
    message: 'one experiment is compared on two or more different machines.',
    remedy: `Give --host for each; --host ${thisMachine} is this machine.`,
  });
}

function drawMachines(name: string, { machines, causes }: MachineComparison): string[] {
  const names = machines.map(({ host }) => host ?? thisMachine);
  const rows = machines.map(({ device, engine, figures }, index) => [
    names[index] ?? '',
    engine === 'sim' ? 'simulated' : (device ?? 'unknown'),
    ...machineMetrics.map(({ id, unit }) => figureText(figures[id] ?? null, unit)),
  ]);
  const differing = (causes ?? []).map(({ label, causes: each }) => [label, ...each.map((cause) => cause ?? '–')]);
  return [
    name,
    '',
    ...table([['Machine', 'Ran on', ...machineMetrics.map(({ label }) => label)], ...rows]),
    '',
    ...(differing.length === 0
      ? ['No copy or kernel waited for another reason on another machine.']
      : ['Reasons that differ', ...limited(table([['Operation', ...names], ...differing]))]),
  ];
}
