/**
 * What runs on the other machine for one session: it owns the engine process there, and answers whoever is connected.
 * Where the line drops it goes on until its runs have ended and their files are kept, and then ends too.
 */
import { createBirpc } from 'birpc';
import type { RunHooks } from '../../core/program/engine.ts';
import { withErrorInfo } from '../../core/service/errorEnvelope.ts';
import { PartialRunError } from '../engine/partialRun.ts';
import type { EngineRunRequest, EngineRunResult } from '../engine/protocol.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { SlurmFunctions } from '../slurm/protocol.ts';
import type { Jobs } from './jobs.ts';
import { type Line, Link } from './link.ts';
import { Printed } from './printed.ts';
import type { KeeperEvents, KeeperFunctions, ProgramRecorded, ProgramThere } from './protocol.ts';
import { makeRecordingFolder } from './recordingFolder.ts';

export interface KeeperOptions {
  readonly engine: EngineSupervisor;
  readonly jobs: Jobs;
  readonly slurm: SlurmFunctions;
  /** Called once, when nothing is left to do. */
  readonly onEnd: () => void;
  /** How long it waits, without an engine process, for someone to take an answer that is already on the disk. */
  readonly lingerMs?: number;
  /** How long it waits for a line, the first one too, where it has nothing to do. */
  readonly idleMs: number;
  /** How often it looks whether the disk takes what it did not take before, or what was kept has been fetched. */
  readonly retryMs?: number;
}

const hourMs = 3_600_000;

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #link: Link;
  readonly #running = new Map<string, AbortController>();
  readonly #programs = new Map<string, AbortController>();
  /** Jobs of this session that the other side may still want. */
  readonly #jobs = new Set<string>();
  readonly #dropping = new Map<string, Promise<void>>();
  /** Results that no disk has taken yet. */
  readonly #unkept = new Map<string, Uint8Array>();
  #looks: ReturnType<typeof setInterval> | undefined;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  /** Nobody comes back for what is in progress, which is kept on the disk. */
  #isLeft = false;
  #hasEnded = false;
  readonly #client;

  constructor(options: KeeperOptions) {
    this.#options = options;
    let receive = (_message: unknown): void => {};
    this.#link = new Link({
      onMessage: (message) => receive(message),
      onUp: () => {
        clearTimeout(this.#lingering);
        clearInterval(this.#looks);
      },
      onDown: () => this.#settle(),
      onLeave: () => {
        this.#isLeft = true;
      },
      onBye: () => void this.#dropAll().then(() => this.end()),
    });
    this.#client = createBirpc<KeeperEvents, KeeperFunctions, false>(this.#functions(), {
      proxify: false,
      post: (message: unknown) => this.#link.send(message),
      on: (handle) => {
        receive = (message) => void handle(message as never);
      },
      serialize: withErrorInfo,
    });
    this.#lingering = setTimeout(() => this.end(), options.idleMs);
  }

  attach(line: Line): void {
    this.#link.attach(line);
  }

  /** Cancels what is in progress. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#lingering);
    clearInterval(this.#looks);
    this.#options.engine.close();
    for (const program of this.#programs.values()) program.abort();
    this.#link.detach();
    this.#options.onEnd();
  }

  #functions(): KeeperFunctions {
    const { engine, jobs, slurm } = this.#options;
    return {
      ...slurm,
      report: () => engine.report(true),
      run: (id, request) => this.#cancellable(id, (signal) => this.#run(id, request, signal)),
      measure: (id, measurement) => this.#cancellable(id, (signal) => engine.measure(measurement, signal)),
      cancel: (id) => this.#running.get(id)?.abort(),
      ping: async () => {},
      jobs: () => jobs.list(),
      job: (id) => jobs.read(id),
      dropJob: (id) => jobs.drop(id),
      record: (id, program) => this.#cancellable(id, (signal) => this.#record(id, program, signal)),
      endProgram: (id) => this.#programs.get(id)?.abort(),
    };
  }

  async #cancellable<Result>(id: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#running.delete(id);
      // After the answer was sent.
      if (!this.#link.isUp) setImmediate(() => this.#settle());
    }
  }

  async #run(id: string, request: EngineRunRequest, signal: AbortSignal): Promise<EngineRunResult> {
    const { engine } = this.#options;
    const job = await this.#beginJob(request.experiment.name, request.engine);
    // What is said of progress is of use only at once.
    const onProgress: RunHooks['onProgress'] = (progress) => {
      if (this.#link.isUp) void this.#client.$callEvent('progress', id, progress);
    };
    try {
      const result = await engine.run(request, { signal, onProgress });
      await this.#keep(job, result.file);
      return result;
    } catch (thrown) {
      if (thrown instanceof PartialRunError && !this.#hasEnded) {
        await this.#keep(job, thrown.partial.file);
        void this.#client.$callEvent('partial', id, thrown.partial);
      } else await this.#forgetJob(job);
      throw thrown;
    } finally {
      this.#dropWhenDelivered(job);
    }
  }

  async #record(id: string, program: ProgramThere, signal: AbortSignal): Promise<ProgramRecorded> {
    const job = await this.#beginJob(program.name, 'recorder');
    const killed = new AbortController();
    this.#programs.set(id, killed);
    const printed = [false, true].map(
      (isError) => new Printed(this.#link, (text) => void this.#client.$callEvent('printed', id, text, isError)),
    );
    try {
      const { recordHere } = await import('./recordHere.ts');
      const recorded = await recordHere(program, {
        // It outlasts a keeper that is killed: whoever looks for the job then makes its run.
        within: await makeRecordingFolder(),
        signal,
        killed: killed.signal,
        onCounts: (counts) => {
          if (this.#link.isUp) void this.#client.$callEvent('recorded', id, counts);
        },
        onOutput: (text, isError) => printed[isError ? 1 : 0]?.add(text),
        onStarted: (parts, pid) => {
          const { name, host } = program;
          if (job !== null) this.#options.jobs.noteProgram(job, { parts, pid, name, host });
        },
      });
      if (recorded.file === null) await this.#forgetJob(job);
      else await this.#keep(job, recorded.file);
      for (const one of printed) one.flush();
      return recorded;
    } catch (thrown) {
      await this.#forgetJob(job);
      throw thrown;
    } finally {
      this.#programs.delete(id);
      this.#dropWhenDelivered(job);
    }
  }

  /** Without room for it on the disk a run is as good: its result is kept in memory, and null is given. */
  async #beginJob(name: string, engine: string): Promise<string | null> {
    const job = await this.#options.jobs.begin({ name, engine }).catch(() => null);
    if (job !== null) this.#jobs.add(job);
    return job;
  }

  /** Once the answer, which is sent after this, has come. */
  #dropWhenDelivered(job: string | null): void {
    if (job !== null) setImmediate(() => void this.#link.delivered().then(() => this.#drop(job)));
  }

  async #forgetJob(job: string | null): Promise<void> {
    if (job !== null) await this.#forget(job);
  }

  async #keep(job: string | null, file: Uint8Array): Promise<void> {
    if (job === null) return;
    try {
      await this.#options.jobs.keep(job, file);
    } catch {
      this.#unkept.set(job, file);
    }
  }

  #forget(job: string): Promise<void> {
    this.#unkept.delete(job);
    const dropped = this.#dropping.get(job) ?? this.#options.jobs.drop(job).catch(() => {});
    this.#dropping.set(job, dropped);
    return dropped.then(() => void this.#jobs.delete(job));
  }

  async #dropAll(): Promise<void> {
    await Promise.all([...this.#jobs].map((job) => this.#forget(job)));
  }

  async #drop(job: string): Promise<void> {
    await this.#forget(job);
    if (!this.#link.isUp) this.#settle();
  }

  /** Nobody is connected: once nothing is in progress it waits for the line to come back, and not for ever. */
  #settle(): void {
    if (this.#hasEnded || this.#link.isUp || this.#running.size > 0) return;
    const { engine, idleMs, lingerMs = hourMs, retryMs = 10_000 } = this.#options;
    // The GPU is for others meanwhile.
    engine.rest();
    clearTimeout(this.#lingering);
    clearInterval(this.#looks);
    if (this.#isLeft && this.#unkept.size === 0) this.end();
    else {
      const isWanted = !this.#link.isDelivered || this.#unkept.size > 0;
      this.#lingering = setTimeout(() => this.end(), isWanted ? lingerMs : idleMs);
      this.#looks = setInterval(() => void this.#look(), retryMs);
    }
  }

  /** Writes what the disk did not take before; where all that was kept has been fetched meanwhile there is nothing to wait for. */
  async #look(): Promise<void> {
    const { jobs } = this.#options;
    for (const [job, file] of this.#unkept) {
      await jobs.keep(job, file).then(
        () => this.#unkept.delete(job),
        () => {},
      );
    }
    const isDone =
      this.#unkept.size === 0 && (this.#isLeft || (this.#jobs.size > 0 && !(await jobs.hasAny(this.#jobs))));
    if (isDone && !this.#link.isUp && this.#running.size === 0) this.end();
  }
}
