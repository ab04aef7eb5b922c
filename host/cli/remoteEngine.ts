/** The engine of the machine that `--host` names. */
import type { CopyscopeError } from '../../core/errors.ts';
import type { SpawnEngine } from '../engine/child.ts';
import { readBundle } from '../machines/bundle.ts';
import { type LineState, type MachineOptions, machineChild } from '../machines/machineChild.ts';
import { MachineStore } from '../machines/machineStore.ts';
import { otherBuild } from '../machines/otherBuild.ts';
import { dataFolder } from '../paths.ts';
import type { Context } from './io.ts';

/** Rejects with `host.*` where the machine isn't set up for this version. */
export async function engineOn(host: string, context: Context): Promise<SpawnEngine> {
  const options = await machineOptions(host, context);
  return () => machineChild(options);
}

/** How that machine is spoken to. Rejects as engineOn() does. */
export async function machineOptions(
  host: string,
  { environment, program, terminal }: Context,
): Promise<MachineOptions> {
  const machine = await new MachineStore(dataFolder(environment)).require(host);
  const { build } = await readBundle(program);
  if (machine.build !== build) throw otherBuild(host, machine.build, build);
  const onLine = (state: LineState, why: CopyscopeError | null): void => {
    if (state === 'lost') {
      terminal.err([
        `The line to ${host} was lost: ${why?.message ?? ''}`,
        'What is in progress goes on there. Trying again.',
      ]);
    }
  };
  return { host, build, environment, onLine };
}
