/** A cluster for a test: Slurm itself on the loopback address if it is installed, or stand-ins of its programs. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, processesOf } from '../../remote/support/processes.ts';

export interface Conduct {
  readonly slots?: number;
  readonly fates?: Readonly<Record<number, string>>;
  readonly forgets?: boolean;
}

export interface StandInSlurm {
  /** Folder of its programs, for PATH. */
  readonly bin: string;
  /** Sets the cluster's behaviour from now on. */
  conduct(conduct: Conduct): void;
  /** Returns every job so far: when each began and ended. */
  jobs(): { readonly state: string; readonly startedAt?: number; readonly endedAt?: number }[];
  remove(): void;
}

const programs = ['sbatch', 'squeue', 'sacct', 'scancel'];

export function standInSlurm(): StandInSlurm {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-slurm-'));
  const [bin, state] = [join(folder, 'bin'), join(folder, 'state')];
  mkdirSync(bin);
  mkdirSync(state);
  const script = join(import.meta.dirname, 'standInSlurm.mjs');
  for (const program of programs) {
    writeFileSync(join(bin, program), `#!/bin/sh\nexec '${process.execPath}' '${script}' '${state}' ${program} "$@"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  // Written at once: a scheduler that reads half of it would end, and its jobs would never begin.
  const conduct = (how: Conduct): void => {
    const half = join(folder, 'conduct.json');
    writeFileSync(half, JSON.stringify(how));
    renameSync(half, join(state, 'conduct.json'));
  };
  conduct({});
  return {
    bin,
    conduct,
    jobs: () =>
      readdirSync(state)
        .filter((name) => /^\d+$/.test(name) && existsSync(join(state, name, 'jobs.json')))
        .flatMap((id) => JSON.parse(readFileSync(join(state, id, 'jobs.json'), 'utf8'))),
    remove: () => {
      for (const { pid } of processesOf(state)) kill(pid);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
