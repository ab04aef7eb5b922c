/** Sweeps whose points Slurm runs, as windows begin them: watched here while this process lives, and gone on with later. */
import { defaultProfile } from '../../core/cost/simEngine.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import type { StartSweep, SweepOutcome } from '../../core/service/service.ts';
import type { JobCounts } from '../../core/slurm/jobWords.ts';
import type { SweepPlan } from '../../core/sweep/plan.ts';
import { runOnCluster } from '../slurm/clusterSweep.ts';
import { type SweepWork, workId } from '../slurm/work.ts';
import type { Assets } from './assets.ts';
import type { OpenCluster } from './clusters.ts';
import type { KeptSweep } from './keptSweep.ts';
import type { SweepStore } from './sweepStore.ts';

/** Slurm of that machine, or of this one where that is null. Rejects with `host.*` or `slurm.list`. */
export type ClusterOf = (machine: string | null, signal: AbortSignal) => Promise<OpenCluster>;

export interface SlurmSweepsOptions {
  readonly store: SweepStore;
  readonly clusterOf: ClusterOf;
  readonly assets: Pick<Assets, 'readProfile'>;
  /** It is watched from now on; the controller ends that. */
  readonly onBegin: (kept: KeptSweep, controller: AbortController) => void;
  readonly onOutcome: (id: string, outcome: SweepOutcome) => void;
  readonly onChange: (kept: KeptSweep) => void;
  readonly onEnd: (id: string, problem: ErrorInfo | null) => void;
}

interface Watched {
  readonly machine: string | null;
  readonly work: SweepWork;
  readonly pointsPerJob: number | null;
  readonly again: boolean;
  readonly kept?: KeptSweep;
}

export class SlurmSweeps {
  readonly #options: SlurmSweepsOptions;
  readonly #jobs = new Map<string, JobCounts>();
  /** By machine and work: two watchers of one would keep its points twice. */
  readonly #watched = new Set<string>();
  /** By sweep: resolves once it is watched no more. */
  readonly #ends = new Map<string, Promise<void>>();

  constructor(options: SlurmSweepsOptions) {
    this.#options = options;
  }

  /** Of one that is watched, once Slurm has told. */
  jobsOf = (id: string): JobCounts | null => this.#jobs.get(id) ?? null;

  /** Resolves once something of it is in the library. Rejects with `slurm.*` or `host.*` where nothing was submitted. */
  async start(plan: SweepPlan, { engine, profile, iterations, machine, slurm }: StartSweep): Promise<KeptSweep> {
    const host = machine ?? null;
    const name = engine === 'sim' ? (profile ?? defaultProfile) : null;
    const work = await this.#work(plan, { host, engine, profile: name, iterations: iterations ?? null });
    return this.#watch(plan, { machine: host, work, pointsPerJob: slurm?.pointsPerJob ?? 1, again: false });
  }

  /** Rejects as start() does. */
  async resume(plan: SweepPlan, kept: KeptSweep, again: boolean): Promise<KeptSweep> {
    const host = kept.slurm?.host ?? null;
    const { engine, profile, iterations } = kept;
    const work = await this.#work(plan, { host, engine, profile, iterations });
    return this.#watch(plan, { machine: host, work, pointsPerJob: null, again, kept });
  }

  /** Cancels its jobs, where it is one of Slurm's, once nothing is being submitted. */
  async cancel({ id, slurm }: KeptSweep): Promise<void> {
    if (slurm === undefined) return;
    await this.#ends.get(id);
    const { cluster } = await this.#options.clusterOf(slurm.host, new AbortController().signal);
    await cluster.slurmCancel(slurm.work).finally(() => cluster.close());
  }

  async #work(
    plan: SweepPlan,
    of: { host: string | null; engine: EngineKind; profile: string | null; iterations: number | null },
  ): Promise<SweepWork> {
    const { profile: name } = of;
    return {
      format: 'copyscope/slurm-work',
      version: 1,
      createdAt: new Date().toISOString(),
      ...of,
      profile: name === null ? null : { name, json: await this.#options.assets.readProfile(name) },
      points: plan.count,
      sweep: plan.document,
    };
  }

  async #watch(plan: SweepPlan, watched: Watched): Promise<KeptSweep> {
    const { machine, work, kept } = watched;
    const key = `${machine ?? ''} ${kept?.slurm?.work ?? workId(work)}`;
    if (this.#watched.has(key)) throw isWatched();
    this.#watched.add(key);
    const controller = new AbortController();
    const forget = (): void => void this.#watched.delete(key);
    try {
      const { cluster, settings } = await this.#options.clusterOf(machine, controller.signal);
      return await this.#begin(plan, watched, { cluster, settings, controller, onEnd: forget });
    } catch (thrown) {
      forget();
      throw thrown;
    }
  }

  #begin(
    plan: SweepPlan,
    { machine, work, pointsPerJob, again, kept }: Watched,
    on: OpenCluster & { readonly controller: AbortController; readonly onEnd: () => void },
  ): Promise<KeptSweep> {
    const { store, onBegin, onOutcome, onChange, onEnd } = this.#options;
    const { cluster, settings, controller } = on;
    return new Promise((resolve, reject) => {
      let current: KeptSweep | null = null;
      const ended = (problem: ErrorInfo | null): void => {
        cluster.close();
        on.onEnd();
        if (current === null) return;
        this.#jobs.delete(current.id);
        this.#ends.delete(current.id);
        onEnd(current.id, problem);
      };
      const end: Promise<void> = runOnCluster({
        ...{ cluster, settings, host: machine, plan, work, store, pointsPerJob, again, kept },
        signal: controller.signal,
        onSubmit: () => {},
        onKept: (found) => {
          current = found;
          this.#ends.set(found.id, end);
          onBegin(found, controller);
          onChange(found);
          resolve(found);
        },
        onOutcome: (outcome) => {
          if (current === null) return;
          const others = current.outcomes.filter(({ point }) => point !== outcome.point);
          current = { ...current, outcomes: [...others, outcome] };
          onOutcome(current.id, outcome);
          onChange(current);
        },
        onProgress: ({ running, waiting, reason }) => {
          if (current === null) return;
          this.#jobs.set(current.id, { running, waiting, reason });
          onChange(current);
        },
      }).then(
        () => ended(null),
        (thrown: unknown) => {
          ended(controller.signal.aborted ? null : toErrorInfo(thrown));
          // Where there is a sweep already, it says so itself.
          reject(thrown);
        },
      );
    });
  }
}

const isWatched = (): CopyscopeError =>
  new CopyscopeError({ code: 'sweep.running', message: 'The same sweep is in progress there.' });
