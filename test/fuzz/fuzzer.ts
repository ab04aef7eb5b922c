/** Sends inputs by number to a worker process, and kills it if one takes too much time or memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Batch, WorkerMessage } from './worker.ts';

export interface Failure {
  readonly seed: number;
  readonly kind: string;
  readonly number: number;
  readonly reason: string;
  /** Null if the process ended before it could report the input. */
  readonly input: Uint8Array | null;
}

export interface Counts {
  readonly inputs: number;
  /** Number of accepted inputs; the others were refused with a message. */
  readonly taken: number;
  readonly failures: readonly Failure[];
}

/** Most processor time for one input, which has less than 10 MB; independent of the machine's load. */
const mostMs = 10_000;
/** Factor for the clock time of a waiting process, and of systems without processor times. */
const patienceFactor = 10;
const mostBytes = 2 ** 30;
/** Inputs per message, since a message costs more than most inputs. */
const batchSize = 250;

/** A worker process that is started again after it was killed. */
export class Fuzzer {
  readonly #script: string;
  #worker: Worker | null = null;

  /** `script` is the bundled worker. */
  constructor(script: string) {
    this.#script = script;
  }

  async kinds(): Promise<readonly string[]> {
    return (await this.#started()).kinds;
  }

  /** Tries the inputs of this kind in a range of numbers. */
  async run({ seed, kind, from, to }: Batch): Promise<Counts> {
    const failures: Failure[] = [];
    let taken = 0;
    for (let at = from; at < to; ) {
      const until = Math.min(to, at + batchSize);
      const worker = await this.#started();
      const outcome = await worker.work({ seed, kind, from: at, to: until });
      taken += outcome.taken;
      failures.push(...outcome.failures.map((failure) => ({ seed, kind, ...failure })));
      at = outcome.next;
      if (outcome.isOver) this.#worker = null;
    }
    return { inputs: to - from, taken, failures };
  }

  close(): void {
    this.#worker?.kill();
    this.#worker = null;
  }

  async #started(): Promise<Worker> {
    this.#worker ??= new Worker(this.#script);
    await this.#worker.ready;
    return this.#worker;
  }
}

interface Outcome {
  readonly next: number;
  readonly taken: number;
  readonly failures: readonly Omit<Failure, 'seed' | 'kind'>[];
  /** True if the process has ended. */
  readonly isOver: boolean;
}

/** Returns the processor time of a process; 0 if the system doesn't report it. */
function usedMs(pid: number | undefined): number {
  try {
    // After the name, which may contain anything: fields 14 and 15, in hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

class Worker {
  kinds: readonly string[] = [];
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  #stderr = '';

  constructor(script: string) {
    this.#child = fork(script, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--max-old-space-size=1500'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.once('message', (sent: WorkerMessage) => {
        if (sent.tells === 'ready') this.kinds = sent.kinds;
        resolve();
      });
      this.#child.once('close', () => reject(new Error(`the worker ended: ${this.#stderr}`)));
    });
    this.ready.catch(() => {});
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  work(batch: Batch): Promise<Outcome> {
    return new Promise((resolve) => {
      const failures: Omit<Failure, 'seed' | 'kind'>[] = [];
      let [number, baseBytes, isDone] = [batch.from, -1, false];
      let reason: string | null = null;
      const stop = (why: string): void => {
        reason ??= why;
        this.kill();
      };
      let patience: NodeJS.Timeout | undefined;
      let [usedBefore, heardAt] = [0, 0];
      const lookAtTime = (): void => {
        const used = usedMs(this.#child.pid) - usedBefore;
        const waited = performance.now() - heardAt;
        if (used > mostMs || waited > patienceFactor * mostMs) stop(`more than ${mostMs / 1000} s`);
        else patience = setTimeout(lookAtTime, Math.max(200, mostMs - used));
      };
      const wait = (): void => {
        clearTimeout(patience);
        heardAt = performance.now();
        patience = setTimeout(lookAtTime, mostMs);
      };
      const finish = (outcome: Omit<Outcome, 'failures'>): void => {
        clearTimeout(patience);
        this.#child.off('message', hear);
        this.#child.off('close', end);
        resolve({ ...outcome, failures });
      };
      /** `peakBytes` is reported with the next input, for the input before it. */
      const look = (peakBytes: number): void => {
        if (baseBytes < 0) baseBytes = peakBytes;
        if (peakBytes - baseBytes > mostBytes) stop(`more than ${mostBytes} bytes of memory`);
        baseBytes = Math.max(baseBytes, peakBytes);
      };
      const hear = (sent: WorkerMessage): void => {
        wait();
        if (sent.tells === 'alive') {
          look(sent.peakBytes);
          usedBefore = sent.usedMs;
          if (reason === null) number = sent.number;
        }
        if (sent.tells === 'failed') {
          failures.push({ number: sent.number, reason: sent.reason, input: Buffer.from(sent.input, 'base64') });
        }
        if (sent.tells !== 'done') return;
        look(sent.peakBytes);
        isDone = reason === null;
        if (isDone) finish({ next: batch.to, taken: sent.taken, isOver: false });
      };
      const end = (code: number | null, signal: string | null): void => {
        if (isDone) return;
        failures.push({
          number,
          reason: reason ?? `the process ended (${code ?? signal}): ${this.#stderr}`,
          input: null,
        });
        finish({ next: number + 1, taken: 0, isOver: true });
      };
      this.#child.on('message', hear);
      this.#child.once('close', end);
      wait();
      this.#child.send(batch);
    });
  }
}
