/** The command line on a machine with a stand-in's cluster. */
import { delimiter } from 'node:path';
import { copyscope, type Result } from '../../../unit/host/support/terminal.ts';
import type { BuiltProgram } from '../../remote/support/builtProgram.ts';
import type { StandInSlurm } from './cluster.ts';

export type Changes = Parameters<typeof copyscope>[2];

export interface SlurmTerminal {
  readonly environment: NodeJS.ProcessEnv;
  cli(args: readonly string[], changes?: Changes): Promise<Result>;
}

export function slurmTerminal(program: BuiltProgram, slurm: StandInSlurm, data: string): SlurmTerminal {
  const environment = {
    ...process.env,
    NODE_OPTIONS: '',
    COPYSCOPE_DATA: data,
    PATH: [slurm.bin, process.env['PATH']].join(delimiter),
  };
  return {
    environment,
    cli: (args, changes = {}) =>
      copyscope(args, program.engine, {
        terminal: { ...changes.terminal },
        context: { program: program.folder, environment, ...changes.context },
      }),
  };
}
