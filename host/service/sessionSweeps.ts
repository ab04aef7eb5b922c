/** The sweeps of this session: those in progress, and the problems that stopped others. The store has their data. */

import type { JobCounts } from '../../core/apps/slurm/submission.ts';
import { requireSweep } from '../../core/apps/sweep/parse.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { defaultProfile } from '../../core/machine/cost/simEngine.ts';
import { simulatedDevice } from '../../core/machine/profile/profile.ts';
import type { StartSweep, Sweep, SweepOutcome, SweepSummary, WindowEvents } from '../../core/service/service.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { Assets } from '../library/assets.ts';
import { doneOutcome, type KeptSweep, openPoints, sweepSummary } from '../library/keptSweep.ts';
import type { SweepStore } from '../library/sweepStore.ts';
import { readSettings } from '../slurm/programs.ts';
import { runSweepJobs } from '../slurm/sweepJobs.ts';
import { type SlurmContext, SlurmWork } from '../slurm/work.ts';
import { type PointResult, runPoints } from './sweepPoints.ts';

export interface SessionSweepsOptions {
  readonly store: SweepStore;
  readonly engine: EngineSupervisor;
  readonly assets: Assets;
  readonly events: WindowEvents;
  readonly slurm: SlurmContext & { readonly dataFolder: string };
}

interface Session {
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: SweepOutcome) => void;
  /** Reports the sweep to the windows. */
  readonly tell: () => void;
}

export class SessionSweeps {
  readonly #store: SweepStore;
  readonly #engine: EngineSupervisor;
  readonly #assets: Assets;
  readonly #events: WindowEvents;
  readonly #slurm: SessionSweepsOptions['slurm'];
  /** Counts of watched jobs by sweep. */
  readonly #jobs = new Map<string, JobCounts>();
  readonly #running = new Map<string, AbortController>();
  readonly #held = new Set<string>();
  readonly #problems = new Map<string, ErrorInfo>();

  constructor({ store, engine, assets, events, slurm }: SessionSweepsOptions) {
    this.#store = store;
    this.#engine = engine;
    this.#assets = assets;
    this.#events = events;
    this.#slurm = slurm;
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
  async start(request: StartSweep): Promise<SweepSummary> {
    const { sweep, engine, profile, iterations, slurm } = request;
    const plan = requireSweep(sweep);
    const name = engine === 'sim' ? (profile ?? defaultProfile) : null;
    const simulated = name === null ? null : simulatedDevice(await this.#assets.readProfile(name));
    const { lastReport } = this.#engine;
    const device = simulated ?? (engine === 'cpu' ? 'CPU' : (lastReport?.devices[0]?.name ?? 'GPU'));
    const kept = await this.#store.create({
      createdAt: new Date().toISOString(),
      engine,
      profile: name,
      iterations: iterations ?? null,
      device,
      ...(slurm === undefined ? {} : { slurm: {} }),
      points: plan.count,
      sweep: plan.document,
    });
    if (slurm !== undefined) return this.#beginJobs(kept, slurm.pointsPerJob, false);
    return this.#beginHere(kept, plan, openPoints(plan.count, [], false));
  }

  /** Rejects with `sweep.running`, `sweep.complete`, `sweep.recorded`, or as read() does. */
  async resume(id: string, again: boolean): Promise<SweepSummary> {
    // Protected from deletion until it counts as running.
    return this.whileStill([id], () => this.#resume(id, again));
  }

  async cancel(id: string): Promise<void> {
    const controller = this.#running.get(id);
    if (controller === undefined) throw notRunning(id);
    controller.abort();
    if ((await this.#store.read(id)).slurm === undefined) return;
    await new SlurmWork(await this.#store.folder(id), this.#slurm).cancel();
  }

  /** Rejects with `sweep.running`, or as read() does. */
  async rename(id: string, name: string): Promise<void> {
    await this.whileStill([id], async () => {
      this.#events.sweepChanged(id, this.#summary(await this.#store.rename(id, name)));
    });
  }

  /** Does something with sweeps, such as deleting them, while none of them can start. Rejects with `sweep.running`. */
  async whileStill<Result>(ids: readonly string[], action: () => Promise<Result>): Promise<Result> {
    this.#requireStill(ids);
    for (const id of ids) this.#held.add(id);
    try {
      return await action();
    } finally {
      for (const id of ids) this.#held.delete(id);
    }
  }

  /** Reports a new sweep with its points, or a deleted one, to the windows. */
  async tell(id: string): Promise<void> {
    const summary = (await this.list()).find((sweep) => sweep.id === id) ?? null;
    if (summary === null) this.#problems.delete(id);
    const kept = await this.#store.read(id).catch(() => null);
    if (kept !== null) this.#tellPoints(kept);
    this.#events.sweepChanged(id, summary);
  }

  /** Stops sweeps in progress, which can be continued later. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  async #resume(id: string, again: boolean): Promise<SweepSummary> {
    const kept = await this.#store.read(id);
    // Points measured on two machines are not one sweep.
    const isElsewhere = kept.imported || (kept.host ?? kept.slurm?.host ?? null) !== null;
    if (isElsewhere && kept.engine !== 'sim') throw fromElsewhere();
    const plan = requireSweep(kept.sweep);
    const open = openPoints(plan.count, kept.outcomes, again);
    if (open.length === 0) {
      // Another process has added points that the windows lack.
      await this.tell(id);
      throw nothingLeft();
    }
    if (kept.slurm !== undefined) return this.#beginJobs(kept, 1, again);
    return this.#beginHere(kept, plan, open);
  }

  #beginHere(kept: KeptSweep, plan: SweepPlan, points: readonly number[]): SweepSummary {
    const { id, engine, profile, iterations } = kept;
    const settings = { engine, profile: profile ?? undefined, iterations: iterations ?? undefined };
    return this.#begin(kept, async ({ signal, onOutcome }) => {
      const tools = { engine: this.#engine, assets: this.#assets, signal };
      for await (const result of runPoints(plan, points, settings, tools)) onOutcome(await this.#keep(id, result));
    });
  }

  /** Submits points as jobs, and watches them until they end, the sweep is cancelled, or this process ends. */
  #beginJobs(kept: KeptSweep, pointsPerJob: number, again: boolean): SweepSummary {
    return this.#begin(kept, async ({ signal, onOutcome, tell }) => {
      const settings = await readSettings(this.#slurm.dataFolder);
      const onJobs = (jobs: JobCounts): void => {
        this.#jobs.set(kept.id, jobs);
        tell();
      };
      const work = { store: this.#store, kept, context: this.#slurm, settings, pointsPerJob, again };
      await runSweepJobs({ ...work, signal, onOutcome, onJobs });
    });
  }

  /** Starts the work of a sweep, which is in progress until that ends. */
  #begin(kept: KeptSweep, work: (session: Session) => Promise<void>): SweepSummary {
    const { id } = kept;
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    this.#problems.delete(id);
    // Another process may have continued it since the windows drew it.
    this.#tellPoints(kept);
    let now = kept;
    const tell = (): void => this.#events.sweepChanged(id, this.#summary(now));
    const onOutcome = (outcome: SweepOutcome): void => {
      now = { ...now, outcomes: [...now.outcomes.filter(({ point }) => point !== outcome.point), outcome] };
      this.#events.sweepPoint(id, outcome);
      tell();
    };
    void work({ signal, onOutcome, tell })
      .catch((thrown: unknown) => {
        const error = toErrorInfo(thrown);
        if (!signal.aborted && error.code !== 'run.cancelled') this.#problems.set(id, error);
      })
      .then(() => this.#end(id));
    tell();
    return this.#summary(kept);
  }

  #tellPoints({ id, outcomes }: KeptSweep): void {
    for (const outcome of outcomes) this.#events.sweepPoint(id, outcome);
  }

  async #end(id: string): Promise<void> {
    this.#jobs.delete(id);
    this.#running.delete(id);
    const left = await this.#store.read(id).catch(() => null);
    this.#events.sweepChanged(id, left === null ? null : this.#summary(left));
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
    const summary = sweepSummary(kept, this.#running.has(kept.id));
    const jobs = this.#jobs.get(kept.id);
    return this.#withProblem(jobs === undefined ? summary : { ...summary, slurm: { jobs } });
  }

  #withProblem(summary: SweepSummary): SweepSummary {
    const problem = this.#problems.get(summary.id);
    return problem === undefined ? summary : { ...summary, problem };
  }
}

const running = (): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.running', message: 'The sweep is in progress.', remedy: 'Cancel it first.' });

const fromElsewhere = (): CopyscopeError =>
  new CopyscopeError({
    code: 'sweep.recorded',
    message: 'This sweep was measured on another machine, and goes on only there.',
    remedy: 'Change and run it again here: that makes another sweep.',
  });

const nothingLeft = (): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.complete', message: 'Every point of this sweep was reached.' });

const notRunning = (id: string): CopyscopeError =>
  new CopyscopeError({
    code: 'sweep.not-found',
    message: `No sweep ${JSON.stringify(id.slice(0, 240))} is in progress.`,
  });
