/** The sweeps of this session: those in progress, and why one stopped. All that is kept of them is the store's. */

import { defaultProfile } from '../../core/cost/simEngine.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { StartSweep, Sweep, SweepOutcome, SweepSummary, WindowEvents } from '../../core/service/service.ts';
import { requireSweep } from '../../core/sweep/parse.ts';
import type { SweepPlan } from '../../core/sweep/plan.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { Assets } from './assets.ts';
import { doneOutcome, type KeptSweep, sweepSummary } from './keptSweep.ts';
import { type PointResult, runPoints } from './sweepPoints.ts';
import type { SweepStore } from './sweepStore.ts';

/** The engine of the machine of that name; of this one where there is none. Rejects with `host.*`. */
type EngineOf = (machine: string | undefined) => Promise<EngineSupervisor>;

export class SessionSweeps {
  readonly #store: SweepStore;
  readonly #engineOf: EngineOf;
  readonly #assets: Assets;
  readonly #events: WindowEvents;
  readonly #running = new Map<string, AbortController>();
  readonly #held = new Set<string>();
  readonly #problems = new Map<string, ErrorInfo>();

  constructor(store: SweepStore, engineOf: EngineOf, assets: Assets, events: WindowEvents) {
    this.#store = store;
    this.#engineOf = engineOf;
    this.#assets = assets;
    this.#events = events;
  }

  async list(): Promise<SweepSummary[]> {
    const kept = await this.#store.list(new Set(this.#running.keys()));
    return kept.map((summary) => this.#withProblem(summary));
  }

  async read(id: string): Promise<Sweep> {
    const kept = await this.#store.read(id);
    const { sweep, profile, iterations, outcomes } = kept;
    return { summary: this.#summary(kept), document: sweep, profile, iterations, outcomes };
  }

  /** Rejects with `sweep.invalid`, `profile.not-found`, `host.*` or a file error before anything has begun. */
  async start({ sweep, engine, profile, iterations, machine }: StartSweep): Promise<SweepSummary> {
    const plan = requireSweep(sweep);
    const name = engine === 'sim' ? (profile ?? defaultProfile) : null;
    if (name !== null) await this.#assets.readProfile(name);
    const { lastReport } = await this.#engineOf(machine);
    const device = name ?? (engine === 'cpu' ? 'CPU' : (lastReport?.devices[0]?.name ?? 'GPU'));
    const kept = await this.#store.create({
      createdAt: new Date().toISOString(),
      engine,
      profile: name,
      iterations: iterations ?? null,
      device: machine === undefined ? device : `${device} of ${machine}`,
      ...(machine === undefined ? {} : { host: machine }),
      points: plan.count,
      sweep: plan.document,
    });
    return this.#begin(kept, plan, numbers(plan.count));
  }

  /** Rejects with `sweep.running`, `sweep.complete`, `sweep.recorded`, or as read() does. */
  async resume(id: string, again: boolean): Promise<SweepSummary> {
    const kept = await this.#store.read(id);
    this.#requireStill([id]);
    // Points measured on two machines are not one sweep.
    if (kept.imported && kept.engine !== 'sim') throw fromElsewhere();
    if (kept.slurm !== undefined) throw onCluster(kept.slurm.host);
    const plan = requireSweep(kept.sweep);
    const reached = new Map(kept.outcomes.map(({ point, status }) => [point, status]));
    const open = numbers(plan.count).filter((point) => (again ? reached.get(point) !== 'done' : !reached.has(point)));
    if (open.length === 0) throw nothingLeft();
    return this.#begin(kept, plan, open);
  }

  async cancel(id: string): Promise<void> {
    const controller = this.#running.get(id);
    if (controller === undefined) throw notRunning(id);
    controller.abort();
  }

  /** Rejects with `sweep.running`, or as read() does. */
  async rename(id: string, name: string): Promise<void> {
    await this.whileStill([id], async () => {
      this.#events.sweepChanged(id, this.#summary(await this.#store.rename(id, name)));
    });
  }

  /** Does something to sweeps that none may begin to run meanwhile, as deleting them. Rejects with `sweep.running`. */
  async whileStill<Result>(ids: readonly string[], action: () => Promise<Result>): Promise<Result> {
    this.#requireStill(ids);
    for (const id of ids) this.#held.add(id);
    try {
      return await action();
    } finally {
      for (const id of ids) this.#held.delete(id);
    }
  }

  /** Tells the windows of a sweep that has come, with its points; or that it has gone. */
  async tell(id: string): Promise<void> {
    const summary = (await this.list()).find((sweep) => sweep.id === id) ?? null;
    if (summary === null) this.#problems.delete(id);
    const { outcomes = [] } = (await this.#store.read(id).catch(() => null)) ?? {};
    for (const outcome of outcomes) this.#events.sweepPoint(id, outcome);
    this.#events.sweepChanged(id, summary);
  }

  /** What is in progress stops where it is, and can go on another time. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  #begin(kept: KeptSweep, plan: SweepPlan, points: readonly number[]): SweepSummary {
    const controller = new AbortController();
    this.#running.set(kept.id, controller);
    this.#problems.delete(kept.id);
    const summary = this.#summary(kept);
    this.#events.sweepChanged(kept.id, summary);
    void this.#execute(kept, plan, points, controller);
    return summary;
  }

  async #execute(kept: KeptSweep, plan: SweepPlan, points: readonly number[], controller: AbortController) {
    const { id, engine, profile, iterations } = kept;
    const settings = { engine, profile: profile ?? undefined, iterations: iterations ?? undefined };
    try {
      const chosen = await this.#engineOf(kept.host);
      const tools = { engine: chosen, assets: this.#assets, signal: controller.signal };
      let reached = kept.outcomes;
      for await (const result of runPoints(plan, points, settings, tools)) {
        const outcome = await this.#keep(id, result);
        reached = [...reached.filter(({ point }) => point !== outcome.point), outcome];
        this.#events.sweepPoint(id, outcome);
        this.#events.sweepChanged(id, this.#summary({ ...kept, outcomes: reached }));
      }
    } catch (thrown) {
      const error = toErrorInfo(thrown);
      if (error.code !== 'run.cancelled') this.#problems.set(id, error);
    } finally {
      this.#running.delete(id);
      const left = await this.#store.read(id).catch(() => null);
      this.#events.sweepChanged(id, left === null ? null : this.#summary(left));
    }
  }

  async #keep(id: string, result: PointResult): Promise<SweepOutcome> {
    if (result.status === 'done') await this.#store.addRun(id, result.point, result.file);
    const outcome = result.status === 'failed' ? result : doneOutcome(id, result.point, { ...result, madeHere: true });
    await this.#store.addOutcome(id, outcome);
    return outcome;
  }

  #requireStill(ids: readonly string[]): void {
    if (ids.some((id) => this.#running.has(id) || this.#held.has(id))) throw running();
  }

  #summary(kept: KeptSweep): SweepSummary {
    return this.#withProblem(sweepSummary(kept, this.#running.has(kept.id)));
  }

  #withProblem(summary: SweepSummary): SweepSummary {
    const problem = this.#problems.get(summary.id);
    return problem === undefined ? summary : { ...summary, problem };
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, point) => point);

const running = (): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.running', message: 'The sweep is in progress.', remedy: 'Cancel it first.' });

const fromElsewhere = (): CopyscopeError =>
  new CopyscopeError({
    code: 'sweep.recorded',
    message: 'This sweep was measured on another machine, and goes on only there.',
    remedy: 'Change and run it again here: that makes another sweep.',
  });

const onCluster = (host: string | null): CopyscopeError =>
  new CopyscopeError({
    code: 'sweep.recorded',
    message: `Slurm runs the points of this sweep${host === null ? '' : ` on ${host}`}.`,
    remedy: 'Go on with it by the command that began it: copyscope sweep FILE --slurm',
  });

const nothingLeft = (): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.complete', message: 'Every point of this sweep was reached.' });

const notRunning = (id: string): CopyscopeError =>
  new CopyscopeError({
    code: 'sweep.not-found',
    message: `No sweep ${JSON.stringify(id.slice(0, 240))} is in progress.`,
  });
