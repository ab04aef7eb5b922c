/**
 * A sweep whose points Slurm runs. It is kept in the library as every sweep is, point by point as results come; whoever asks
 * for the same again goes on with it, be it in progress, cancelled, or ended with points that nodes and time limits took.
 */
import { toErrorInfo } from '../../core/errors.ts';
import { simulatedDevice } from '../../core/profile/profile.ts';
import type { SweepOutcome } from '../../core/service/service.ts';
import type { JobCounts } from '../../core/slurm/jobWords.ts';
import type { SweepPlan } from '../../core/sweep/plan.ts';
import { doneOutcome, isLost, isOpen, type KeptSweep, openPoints } from '../service/keptSweep.ts';
import type { SweepStore } from '../service/sweepStore.ts';
import type { JobState, PointFiles } from './protocol.ts';
import { readResult } from './result.ts';
import { jobCounts, type WatchOptions, WorkWatch } from './watch.ts';
import type { SweepWork } from './work.ts';

type Watched = Pick<WatchOptions, 'cluster' | 'settings' | 'signal' | 'settleMs' | 'onSubmit'>;

export interface ClusterSweepOptions extends Watched {
  readonly host: string | null;
  readonly plan: SweepPlan;
  readonly work: SweepWork;
  readonly store: SweepStore;
  /** Points that each job runs; null: as many as before. */
  readonly pointsPerJob: number | null;
  /** Whether points that failed by themselves are run again. */
  readonly again: boolean;
  /** The library's sweep that goes on; looked for where it is left out. */
  readonly kept?: KeptSweep | undefined;
  readonly onProgress: (progress: ClusterProgress) => void;
  /** It is in the library: as it was found there, or newly. */
  readonly onKept?: (kept: KeptSweep) => void;
  /** What became of a point is kept. */
  readonly onOutcome?: (outcome: SweepOutcome) => void;
}

export interface ClusterProgress extends JobCounts {
  readonly done: number;
  readonly failed: number;
  readonly all: number;
}

/** Resolves with the sweep once nothing of it is in progress. Rejects with `slurm.*`, `host.*`, or the signal's abort. */
export async function runOnCluster(options: ClusterSweepOptions): Promise<KeptSweep> {
  const sweep = new ClusterSweep(options);
  // Whoever leaves may cancel its jobs next: those that Slurm does not have yet would go on.
  return sweep.run().finally(sweep.submitted);
}

class ClusterSweep {
  readonly #options: ClusterSweepOptions;
  readonly #watch: WorkWatch;
  readonly #outcomes = new Map<number, SweepOutcome>();
  #kept: KeptSweep | null = null;
  /** When the last one of the same work was made that was complete before this one began. */
  #lastOverAt = '';
  /** As it is once Slurm was asked: read once for all points that are lost then, which may be a thousand. */
  #inLibrary: Promise<KeptSweep> | null = null;

  constructor(options: ClusterSweepOptions) {
    this.#options = options;
    const { cluster, work, settings, signal, settleMs, onSubmit, kept } = options;
    this.#watch = new WorkWatch({
      ...{ cluster, work, id: kept?.slurm?.work, settings, signal, settleMs, onSubmit },
      onSubmitted: async (isOurs) => void (isOurs && (await this.#keptId())),
      onLook: async ({ submissions }) => {
        if (submissions.some(({ job }) => job !== null)) await this.#keptId();
      },
      onFiles: (files) => this.#take(files),
      onLost: (point, error) => this.#lose({ point, status: 'failed', error }),
      onJobs: (jobs) => {
        this.#inLibrary = null;
        return this.#tell(jobs);
      },
    });
  }

  async run(): Promise<KeptSweep> {
    const { store, pointsPerJob } = this.#options;
    await this.#noteOver();
    const state = await this.#watch.open();
    await this.#find();
    await this.#watch.takeIn(state, (point) => this.#outcomes.get(point)?.status !== 'done');
    const before = state.submissions.flatMap(({ tasks }) => tasks.map(({ length }) => length));
    await this.#watch.run(state, this.#wanted(), pointsPerJob ?? Math.max(1, ...before));
    const kept = await store.read(await this.#keptId());
    // All that it was for is in the library.
    if (kept.outcomes.length === kept.points && !kept.outcomes.some(isLost)) await this.#watch.drop();
    return kept;
  }

  /** Once nothing is being submitted, well or not. */
  submitted = (): Promise<unknown> => this.#watch.submitted.catch(() => {});

  /** Before Slurm is asked: what is complete later, another process has begun at this moment. */
  async #noteOver(): Promise<void> {
    const { store, host, again, kept } = this.#options;
    if (kept !== undefined) return;
    const last = await store.onCluster(host, this.#watch.id);
    if (last !== null && openPoints(last.points, last.outcomes, again).length === 0) this.#lastOverAt = last.createdAt;
  }

  /** The library's sweep that goes on, where there is one: one that was named, or of the same work and not over. */
  async #find(): Promise<void> {
    const { store, host, kept } = this.#options;
    // Another process may have gone on with it since it was named.
    const found = await (kept === undefined ? store.onCluster(host, this.#watch.id) : store.read(kept.id));
    if (found !== null && (kept !== undefined || found.createdAt > this.#lastOverAt)) this.#goOnWith(found);
  }

  #goOnWith(kept: KeptSweep): void {
    this.#kept = kept;
    for (const outcome of kept.outcomes) this.#outcomes.set(outcome.point, outcome);
    this.#options.onKept?.(kept);
  }

  /** Of the library's sweep. Another one is made once there is something to keep in it: jobs, or results. */
  async #keptId(): Promise<string> {
    if (this.#kept !== null) return this.#kept.id;
    const { store, host, plan, work } = this.#options;
    const begun = {
      createdAt: new Date().toISOString(),
      engine: work.engine,
      profile: work.profile?.name ?? null,
      iterations: work.iterations,
      device: deviceOf(work),
      points: plan.count,
      slurm: { host, work: this.#watch.id },
      sweep: plan.document,
    };
    // Another process that began the same at this moment may have it already, all of it too.
    const isNew = ({ createdAt }: KeptSweep): boolean => createdAt > this.#lastOverAt;
    const kept = await store.createOnCluster(begun, this.#watch.begunAt, isNew);
    this.#goOnWith(kept);
    return kept.id;
  }

  /** Points that are to be run, or run already. */
  #wanted(): number[] {
    const { plan, again } = this.#options;
    return openPoints(plan.count, [...this.#outcomes.values()], again);
  }

  async #take(files: PointFiles): Promise<void> {
    await this.#keep(outcomeOf(await this.#keptId(), files), files.run);
  }

  async #keep(outcome: SweepOutcome, run: Uint8Array | null): Promise<void> {
    const { store, again } = this.#options;
    const before = this.#outcomes.get(outcome.point);
    // What failed before and is to be run again is not told anew.
    if (outcome.status === 'failed' && before?.status === 'failed' && !isLost(before) && !again) return;
    const id = await this.#keptId();
    if (outcome.status === 'done' && run !== null) await store.addRun(id, outcome.point, run);
    await store.addOutcome(id, outcome);
    this.#adopt(outcome);
  }

  /** Whoever else watches the same jobs may have kept the point, and deleted what they left. */
  async #lose(outcome: SweepOutcome): Promise<void> {
    const id = await this.#keptId();
    this.#inLibrary ??= this.#options.store.read(id);
    const { outcomes } = await this.#inLibrary;
    const kept = outcomes.find(({ point }) => point === outcome.point);
    if (kept === undefined || isOpen(kept, this.#options.again)) await this.#keep(outcome, null);
    else this.#adopt(kept);
  }

  #adopt(kept: SweepOutcome): void {
    this.#outcomes.set(kept.point, kept);
    this.#options.onOutcome?.(kept);
  }

  /** Says how it stands. */
  #tell(jobs: readonly JobState[]): ClusterProgress {
    const { plan, onProgress } = this.#options;
    const failed = [...this.#outcomes.values()].filter((outcome) => outcome.status === 'failed').length;
    const progress = { done: this.#outcomes.size - failed, failed, all: plan.count, ...jobCounts(jobs) };
    onProgress(progress);
    return progress;
  }
}

const deviceOf = ({ engine, profile }: SweepWork): string =>
  profile !== null ? simulatedDevice(profile.json) : engine === 'cpu' ? 'CPU' : 'GPU';

/** What comes back is checked as any file from elsewhere; what can't be read is that point's failure. */
function outcomeOf(id: string, file: PointFiles): SweepOutcome {
  try {
    const result = readResult(file);
    return result.status === 'done' ? doneOutcome(id, result.point, { ...result, madeHere: true }) : result;
  } catch (error) {
    return { point: file.point, status: 'failed', error: toErrorInfo(error) };
  }
}
