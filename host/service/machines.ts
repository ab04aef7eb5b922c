/** Other machines, as windows use them: each is reached when something is first asked of it, and its engine stays warm there. */
import { randomUUID } from 'node:crypto';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { MachinePlan, MachineState, MachineWork, RemoveMachine } from '../../core/service/machines.ts';
import type { WindowEvents } from '../../core/service/service.ts';
import type { SlurmSettings } from '../../core/slurm/settings.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { readBundle } from '../machines/bundle.ts';
import { type LineState, type MachineOptions, machineChild } from '../machines/machineChild.ts';
import { type Machine, MachineStore } from '../machines/machineStore.ts';
import { addMachine, fetchResults, planMachine, removeMachine, requireFetched } from '../machines/manage.ts';
import { otherBuild } from '../machines/otherBuild.ts';
import type { Plan } from '../machines/setup.ts';
import { SlurmSettingsStore } from '../slurm/settingsStore.ts';
import type { RunStore } from './runStore.ts';

/** The keeper there waits three seconds before it ends what does not obey; the way there and back takes some too. */
export const cancelGraceThereMs = 15_000;

export interface MachinesOptions {
  readonly dataFolder: string;
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly runs: RunStore;
  readonly events: Pick<WindowEvents, 'machineChanged' | 'runChanged'>;
}

/** A person sees about this many changes of a figure. */
const tellEveryMs = 100;

export class Machines {
  readonly #options: MachinesOptions;
  readonly #store: MachineStore;
  readonly #slurm: SlurmSettingsStore;
  /** What this process knows of a machine; the store has what is set up. */
  readonly #states = new Map<string, MachineState>();
  readonly #engines = new Map<string, EngineSupervisor>();
  /** The last one of each machine. */
  readonly #plans = new Map<string, { readonly ticket: string; readonly plan: Plan }>();
  #toldAt = 0;

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.#store = new MachineStore(options.dataFolder);
    this.#slurm = new SlurmSettingsStore(options.dataFolder);
  }

  /** Those that are set up, with what is known of each, and those that are being set up. Asks none of them. */
  async list(): Promise<MachineState[]> {
    // A table that can't be read is told of where it is used.
    const slurm = await this.#slurm.all().catch(() => null);
    for (const machine of await this.#store.list()) this.#known(machine, slurm?.get(machine.name) ?? null);
    return [...this.#states.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Its devices and engines, asked for now; results that wait there come into the library. Rejects with `host.*`. */
  async connect(name: string): Promise<MachineState> {
    try {
      const engine = await this.engine(name);
      this.#change(name, { report: await engine.report(true), problem: null, line: 'up' });
      if (this.#states.get(name)?.work === null) void this.fetch(name).catch(() => {});
    } catch (thrown) {
      if (!this.#states.has(name)) throw thrown;
      this.#change(name, { line: 'lost', problem: toErrorInfo(thrown) });
    }
    return this.#state(name);
  }

  /** See HostService.planMachine(). */
  async plan(name: string, replace: boolean): Promise<MachinePlan> {
    const plan = await planMachine(name, { replace }, this.#options);
    const ticket = randomUUID();
    this.#plans.set(name, { ticket, plan });
    return { ticket, name, says: plan.says };
  }

  /** Begins it and returns. Rejects with `host.plan-gone` or `host.busy`. */
  async add(ticket: string): Promise<void> {
    const plan = [...this.#plans.values()].find((one) => one.ticket === ticket)?.plan;
    if (plan === undefined) throw planGone();
    const name = plan.host;
    await this.list();
    if (!this.#states.has(name)) this.#states.set(name, unasked(name));
    this.#begin(name, 'adding');
    this.#plans.delete(name);
    void this.#work(name, async (onBytes) => {
      const report = await addMachine(plan, this.#store, this.#options.environment, onBytes).catch(async (thrown) => {
        // What could not be taken back is there, and counts as set up.
        await this.list().catch(() => {});
        throw thrown;
      });
      // What still runs there of another build is fetched like all that was left there.
      this.#forgetEngine(name);
      const { system, version } = await this.#store.require(name);
      this.#change(name, { system, version, report, line: 'up', problem: null, fetched: null });
    });
  }

  /** Begins it and returns. Rejects with `host.unknown` or `host.busy`. */
  async fetch(name: string): Promise<void> {
    const { environment, runs, events } = this.#options;
    const machine = await this.#store.require(name);
    this.#known(machine);
    this.#begin(name, 'fetching');
    void this.#work(name, async (onReceived) => {
      const options = { host: name, build: machine.build, environment, onReceived };
      const fetched = await fetchResults(options, runs, (run) => events.runChanged(run.id, run));
      this.#change(name, { fetched });
    });
  }

  /** Rejects with `host.unfetched`, `host.busy`, or as ssh fails. */
  async remove(name: string, { discard, forget }: RemoveMachine): Promise<void> {
    const { environment } = this.#options;
    await this.list();
    // One that never was set up is only forgotten.
    if (this.#state(name).version !== null) {
      this.#begin(name, 'removing');
      try {
        if (forget) await this.#store.remove(name);
        else {
          if (!discard) await requireFetched(name, environment);
          this.#forgetEngine(name);
          await removeMachine(name, this.#store, environment);
        }
      } catch (thrown) {
        this.#change(name, { work: null });
        throw thrown;
      }
    }
    await this.#slurm.remove(name).catch(() => {});
    this.#forgetEngine(name);
    this.#states.delete(name);
    this.#options.events.machineChanged(name, null);
  }

  /** Says what is known of one that is set up. Rejects with `host.unknown`. */
  async tell(name: string, change: Partial<MachineState>): Promise<void> {
    this.#known(await this.#store.require(name));
    this.#change(name, change);
  }

  /** Its engine, warm there from the first thing that is asked of it. Rejects with `host.*`. */
  async engine(name: string): Promise<EngineSupervisor> {
    const options = await this.options(name);
    const known = this.#engines.get(name);
    if (known !== undefined) return known;
    const engine = new EngineSupervisor({
      host: name,
      cancelGraceMs: cancelGraceThereMs,
      spawn: () => machineChild(options),
      onChange: (report, problem) => {
        if (this.#engines.get(name) !== engine) return;
        this.#change(name, report === null ? { line: 'lost', problem } : { report, problem, line: 'up' });
      },
    });
    this.#engines.set(name, engine);
    return engine;
  }

  /** For a line to it, whose state the windows are told. Rejects with `host.*`. */
  async options(name: string): Promise<MachineOptions> {
    const { program, environment } = this.#options;
    const machine = await this.#store.require(name);
    this.#known(machine);
    const { build } = await readBundle(program);
    if (machine.build !== build) throw otherBuild(name, machine.build, build);
    return { host: name, build, environment, onLine: (...line) => this.#onLine(name, ...line) };
  }

  /** What is in progress goes on there. */
  close(): void {
    for (const engine of this.#engines.values()) engine.close();
  }

  #known({ name, system, version }: Machine, slurm?: SlurmSettings | null): void {
    const state = this.#states.get(name) ?? unasked(name);
    this.#states.set(name, { ...state, system, version, ...(slurm === undefined ? {} : { slurm }) });
  }

  #state(name: string): MachineState {
    const state = this.#states.get(name);
    if (state !== undefined) return state;
    throw new CopyscopeError({ code: 'host.unknown', field: 'host', message: `${name} is not set up for Copyscope.` });
  }

  #forgetEngine(name: string): void {
    this.#engines.get(name)?.close();
    this.#engines.delete(name);
  }

  #onLine(name: string, line: LineState, why: CopyscopeError | null): void {
    // While it is tried again, why the last one was lost goes on being told.
    if (line === 'connecting') this.#change(name, { line });
    else this.#change(name, { line, problem: why?.toInfo() ?? null });
  }

  #begin(name: string, what: MachineWork['what']): void {
    if (this.#state(name).work !== null) throw busy(name);
    this.#change(name, { work: { what, doneBytes: 0, totalBytes: null }, problem: null });
  }

  /** Until it has ended: its bytes are told, and why it failed. */
  async #work(name: string, act: (onBytes: (done: number, total: number) => void) => Promise<void>): Promise<void> {
    try {
      await act((doneBytes, totalBytes) => this.#progress(name, doneBytes, totalBytes));
      this.#change(name, { work: null });
    } catch (thrown) {
      this.#change(name, { work: null, problem: toErrorInfo(thrown) });
    }
  }

  #progress(name: string, doneBytes: number, totalBytes: number): void {
    const work = this.#states.get(name)?.work;
    const now = performance.now();
    if (!work || (now - this.#toldAt < tellEveryMs && doneBytes < totalBytes)) return;
    this.#toldAt = now;
    this.#change(name, { work: { ...work, doneBytes, totalBytes } });
  }

  #change(name: string, change: Partial<MachineState>): void {
    const before = this.#states.get(name);
    if (before === undefined) return;
    const state = { ...before, ...change };
    this.#states.set(name, state);
    this.#options.events.machineChanged(name, state);
  }
}

const unasked = (name: string): MachineState => ({
  name,
  system: '',
  version: null,
  line: 'unasked',
  report: null,
  problem: null,
  work: null,
  fetched: null,
  slurm: null,
  calibration: null,
});

const busy = (name: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.busy',
    message: `Something is done with ${name} already.`,
    remedy: 'Wait until it has ended.',
  });

const planGone = (): CopyscopeError =>
  new CopyscopeError({
    code: 'host.plan-gone',
    message: 'The machine was looked at again meanwhile, or Copyscope was started anew.',
    remedy: 'Look at it again.',
  });
