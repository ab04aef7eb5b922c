/** Slurm itself: controller, one node and munge, with their own configuration, on the loopback address. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../../../scripts/lib/system.mjs';
import { eventually } from '../../../unit/support/eventually.ts';

export interface RealSlurm {
  readonly environment: NodeJS.ProcessEnv;
  readonly node: string;
  /** Returns the number of jobs in that state, by squeue. */
  count(state: 'RUNNING' | 'PENDING' | 'COMPLETING' | 'COMPLETED'): number;
  close(): void;
}

const needed = ['slurmctld', 'slurmd', 'munged', 'sbatch', 'squeue', 'scancel'];
const sbin = (name: string): string | null => findProgram(name) ?? found(`/usr/sbin/${name}`);
const found = (path: string): string | null => (spawnSync('test', ['-x', path]).status === 0 ? path : null);

export const noSlurm =
  userInfo().uid !== 0
    ? 'a node of Slurm runs as root'
    : needed.every((name) => sbin(name) !== null)
      ? null
      : 'Slurm is not installed here: apt-get install slurm-wlm munge';

export async function realSlurm(): Promise<RealSlurm> {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-real-slurm-'));
  const at = (name: string): string => join(folder, name);
  chmodSync(folder, 0o755);
  for (const name of ['state', 'spool', 'munge']) mkdirSync(at(name), { mode: 0o755 });
  writeFileSync(at('munge.key'), randomBytes(128), { mode: 0o600 });
  const node = hostname().split('.')[0] ?? 'node';
  const environment = { ...process.env, SLURM_CONF: at('slurm.conf') };
  const run = (program: string, ...words: string[]): string =>
    execFileSync(sbin(program) ?? program, words, { env: environment, encoding: 'utf8', stdio: 'pipe' });
  const munge = [
    'socket=munge/s',
    'key-file=munge.key',
    'log-file=munge/log',
    'pid-file=munge/pid',
    'seed-file=munge/seed',
  ];
  run('munged', '--force', ...munge.map((one) => `--${one.replace('=', `=${folder}/`)}`));
  const started = async (): Promise<ChildProcess[]> => {
    writeFileSync(at('slurm.conf'), configuration(at, node, await freePort(), await freePort()));
    return ['slurmctld', 'slurmd'].map((name) =>
      spawn(sbin(name) ?? name, ['-D'], { env: environment, stdio: 'ignore' }),
    );
  };
  let daemons = await started();
  for (let left = 10; !(await areThere()); left -= 1) {
    for (const daemon of daemons) daemon.kill('SIGKILL');
    if (left === 0) {
      end(at('munge/pid'));
      throw new Error(`Slurm ends by itself: ${['slurmctld.log', 'slurmd.log'].map(said).join('\n')}`);
    }
    daemons = await started();
  }
  function said(log: string): string {
    return existsSync(at(log)) ? readFileSync(at(log), 'utf8').slice(-1000) : '';
  }
  /** Resolves with false if one of them has ended: another process may have taken its port. */
  function areThere(): Promise<boolean> {
    return eventually(() => {
      if (daemons.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)) return false;
      if (!run('sinfo', '--noheader', '--format=%t').startsWith('idle')) throw new Error('its node is not there yet');
      return true;
    });
  }
  return {
    environment,
    node,
    count: (state) => {
      const printed = run('squeue', '--noheader', '--array', `--states=${state}`, '--format=%K').trim();
      return printed === '' ? 0 : printed.split('\n').length;
    },
    close: () => {
      spawnSync('scancel', ['--user=root'], { env: environment });
      for (const daemon of daemons) daemon.kill('SIGKILL');
      end(at('munge/pid'));
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function end(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  } catch {
    // It never existed.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('there is no port');
  return address.port;
}

const configuration = (at: (name: string) => string, node: string, controller: number, daemon: number): string => `
ClusterName=test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${daemon}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=${at('munge/s')}
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('slurmctld.log')}
SlurmdLogFile=${at('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
JobRequeue=0
KillWait=600
MinJobAge=36000
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=${node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
