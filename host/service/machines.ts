/** Other machines, as windows use them: each is reached when something is first asked of it, and its engine stays warm there. */
import { type CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { MachineState, WindowEvents } from '../../core/service/service.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { readBundle } from '../machines/bundle.ts';
import { fetchJobs } from '../machines/fetchJobs.ts';
import { type LineState, machineChild } from '../machines/machineChild.ts';
import { type Machine, MachineStore } from '../machines/machineStore.ts';
import { otherBuild } from '../machines/otherBuild.ts';
import type { RunStore } from './runStore.ts';

/** The keeper there waits three seconds before it ends what does not obey; the way there and back takes some too. */
export const cancelGraceThereMs = 15_000;

interface Known {
  readonly engine: EngineSupervisor;
  state: MachineState;
}

export interface MachinesOptions {
  readonly dataFolder: string;
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly runs: RunStore;
  readonly events: WindowEvents;
}

export class Machines {
  readonly #options: MachinesOptions;
  readonly #store: MachineStore;
  readonly #known = new Map<string, Known>();

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.#store = new MachineStore(options.dataFolder);
  }

  /** Those that are set up, with what is known of each. Asks none of them. */
  async list(): Promise<MachineState[]> {
    const machines = await this.#store.list();
    return machines.map((machine) => this.#known.get(machine.name)?.state ?? unasked(machine));
  }

  /** Its devices and engines, asked for now; results that wait there come into the library. Rejects with `host.*`. */
  async connect(name: string): Promise<MachineState> {
    const { engine } = await this.#get(name);
    try {
      this.#change(name, { report: await engine.report(true), problem: null, line: 'up' });
      void this.#fetch(name).catch(() => {});
    } catch (thrown) {
      this.#change(name, { line: 'lost', problem: toErrorInfo(thrown) });
    }
    return (await this.#get(name)).state;
  }

  /** Rejects with `host.*`. */
  engine = async (name: string): Promise<EngineSupervisor> => (await this.#get(name)).engine;

  /** What is in progress goes on there. */
  close(): void {
    for (const { engine } of this.#known.values()) engine.close();
  }

  async #get(name: string): Promise<Known> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { program, environment } = this.#options;
    const machine = await this.#store.require(name);
    const { build } = await readBundle(program);
    if (machine.build !== build) throw otherBuild(name, machine.build, build);
    // Somebody else may have asked meanwhile.
    const made = this.#known.get(name) ?? {
      engine: new EngineSupervisor({
        host: name,
        cancelGraceMs: cancelGraceThereMs,
        spawn: () => machineChild({ host: name, build, environment, onLine: (...line) => this.#onLine(name, ...line) }),
        onChange: (report, problem) =>
          this.#change(name, report === null ? { line: 'lost', problem } : { report, problem, line: 'up' }),
      }),
      state: unasked(machine),
    };
    this.#known.set(name, made);
    return made;
  }

  #onLine(name: string, line: LineState, why: CopyscopeError | null): void {
    this.#change(name, { line, problem: line === 'up' ? null : (why?.toInfo() ?? null) });
  }

  #change(
    name: string,
    change: { line?: LineState; problem?: ErrorInfo | null; report?: MachineState['report'] },
  ): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    known.state = { ...known.state, ...change };
    this.#options.events.machineChanged(known.state);
  }

  async #fetch(name: string): Promise<void> {
    const { environment, program, runs, events } = this.#options;
    const { build } = await readBundle(program);
    await fetchJobs({ host: name, build, environment }, async (_, file) => {
      const run = await runs.addFetched(file);
      if (run !== null) events.runChanged(run.id, run);
    });
  }
}

const unasked = ({ name, system }: Machine): MachineState => ({
  name,
  system,
  line: 'unasked',
  report: null,
  problem: null,
});
