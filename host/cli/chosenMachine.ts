/** The engine that a command uses: of this machine, or of the one that `--host` names. */
import type { SpawnEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { cancelGraceThereMs } from '../service/machines.ts';
import type { Context } from './io.ts';
import { engineOn } from './remoteEngine.ts';

export class ChosenMachine {
  readonly engine: EngineSupervisor;
  readonly #context: Context;
  #spawn: SpawnEngine;
  #host: string | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.#spawn = context.spawnEngine;
    const host = (): string | undefined => this.#host;
    this.engine = new EngineSupervisor({
      spawn: () => this.#spawn(),
      // Read when they are needed, which is after the command line was.
      get host() {
        return host();
      },
      get cancelGraceMs() {
        return host() === undefined ? context.cancelGraceMs : cancelGraceThereMs;
      },
    });
  }

  /** Before anything is asked of the engine. Rejects with `host.*`. */
  async choose(host: string | undefined): Promise<void> {
    if (host === undefined) return;
    this.#spawn = await engineOn(host, this.#context);
    this.#host = host;
  }
}
