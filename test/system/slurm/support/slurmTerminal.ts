/** The command line on a machine that has a stand-in's cluster. */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { copyscope, type Result } from '../../../unit/host/support/terminal.ts';
import type { BuiltProgram } from '../../machines/support/builtProgram.ts';
import type { StandInSlurm } from './cluster.ts';

export type Changes = Parameters<typeof copyscope>[2];

export interface SlurmTerminal {
  readonly environment: NodeJS.ProcessEnv;
  cli(args: readonly string[], changes?: Changes): Promise<Result>;
  /** Folders of works in the data folder. */
  works(): string[];
}

export function slurmTerminal(program: BuiltProgram, slurm: StandInSlurm, data: string): SlurmTerminal {
  const environment = {
    ...process.env,
    NODE_OPTIONS: '',
    COPYSCOPE_DATA: data,
    PATH: [slurm.bin, process.env['PATH']].join(delimiter),
  };
  const works = join(data, 'slurm');
  return {
    environment,
    cli: (args, changes = {}) =>
      copyscope(args, program.engine, {
        terminal: { ...changes.terminal },
        context: { program: program.folder, environment, ...changes.context },
      }),
    works: () => (existsSync(works) ? readdirSync(works) : []),
  };
}
