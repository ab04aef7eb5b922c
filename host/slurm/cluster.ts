/** A cluster's login node: this machine, or one behind ssh. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import { type KeeperCalls, keeperOf } from '../machines/keeperCalls.ts';
import type { MachineOptions } from '../machines/machineChild.ts';
import type { SlurmFunctions } from './protocol.ts';
import { slurmWorks } from './works.ts';

export interface Cluster extends SlurmFunctions {
  close(): void;
}

/** Slurm of this machine, whose data folder its nodes see. */
export function localCluster(program: string, data: string, environment: NodeJS.ProcessEnv): Cluster {
  const start = [process.execPath, join(program, 'dist/host/machine.js')];
  return { ...slurmWorks({ folder: join(data, 'slurm'), start, environment }), close: () => {} };
}

export interface RemoteOptions extends MachineOptions {
  /** Ends the attempts to get a lost line back. */
  readonly signal: AbortSignal;
}

const pausesMs = [1000, 2000, 5000, 10_000, 30_000];
/** Of a line, and not of what was asked: another one may do. */
const ofTheLine = /^host\.(unreachable|session-gone|failed)$/;

/** All that is asked of a login node can be asked again, and of another keeper: Slurm and the disk there know how things are. */
export function remoteCluster({ signal, ...options }: RemoteOptions): Cluster {
  let keeper: KeeperCalls | null = null;
  let wasThere = false;

  const asked = async <Name extends keyof SlurmFunctions>(
    name: Name,
    args: Parameters<SlurmFunctions[Name]>,
  ): Promise<Awaited<ReturnType<SlurmFunctions[Name]>>> => {
    for (let attempt = 0; ; attempt += 1) {
      if (keeper === null || keeper.hasEnded) keeper = keeperOf(options);
      try {
        const answer = await keeper.call(name, ...args);
        wasThere = true;
        return answer;
      } catch (error) {
        if (!keeper.hasEnded || !wasThere || signal.aborted || !ofTheLine.test(toErrorInfo(error).code)) throw error;
        if (attempt === 0) options.onLine?.('lost', error as CopyscopeError);
        await pause((options.pausesMs ?? pausesMs)[Math.min(attempt, pausesMs.length - 1)], undefined, {
          signal,
        }).catch(() => {});
      }
    }
  };

  return {
    slurmOpen: (...args) => asked('slurmOpen', args),
    slurmShow: (...args) => asked('slurmShow', args),
    slurmSubmit: (...args) => asked('slurmSubmit', args),
    slurmLook: (...args) => asked('slurmLook', args),
    slurmTake: (...args) => asked('slurmTake', args),
    slurmSaid: (...args) => asked('slurmSaid', args),
    slurmPrinted: (...args) => asked('slurmPrinted', args),
    slurmCancel: (...args) => asked('slurmCancel', args),
    slurmDrop: (...args) => asked('slurmDrop', args),
    slurmList: (...args) => asked('slurmList', args),
    close: () => keeper?.close(),
  };
}
