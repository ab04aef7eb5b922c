/**
 * PyTorch's programs, one after another in one process of Python, since importing PyTorch takes seconds. It is begun early,
 * and begun again where a program has hung, or lost the device for those after it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface PyTorchResult {
  readonly output: string;
  /** Null if the program succeeded. */
  readonly error: string | null;
}

interface Answer extends PyTorchResult {
  readonly file: string | null;
}

const driver = 'bench/gpu/code/run_programs.py';
/** A machine on which it fails each time has no PyTorch. */
const mostStarts = 3;

export class PyTorchPrograms {
  #process: ChildProcess | null = null;
  #starts = 0;
  #answers: ((answer: Answer | null) => void)[] = [];
  #ready: Promise<Answer | null> = Promise.resolve(null);
  #lastWords = '';

  /** Starts the process and returns at once; PyTorch is imported in the background. */
  start(): void {
    this.#starts += 1;
    const child = spawn('python3', [driver], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process = child;
    this.#answers = [];
    this.#ready = this.#answer();
    child.stderr.on('data', (bytes: Buffer) => {
      this.#lastWords = `${this.#lastWords}${bytes.toString()}`.slice(-600);
    });
    // It may end while a file is being named to it.
    child.stdin.on('error', () => {});
    const isOver = (): void => {
      if (this.#process !== child) return;
      this.#process = null;
      for (const answer of this.#answers.splice(0)) answer(null);
    };
    child.once('error', isOver);
    child.once('close', isOver);
    createInterface(child.stdout).on('line', (line) => {
      if (this.#process === child && line.startsWith('{')) this.#answers.shift()?.(JSON.parse(line) as Answer);
    });
  }

  /** When PyTorch is imported, or it is sure that it can't be; its version, or null. */
  async ready(): Promise<string | null> {
    return (await this.#ready)?.output ?? null;
  }

  async run(file: string, timeoutMs: number): Promise<PyTorchResult> {
    if (this.#process === null && this.#starts >= mostStarts) return this.#failed('has ended');
    if (this.#process === null) this.start();
    const timer = setTimeout(() => this.#process?.kill('SIGKILL'), timeoutMs);
    try {
      if ((await this.#ready) === null) return this.#failed('could not begin');
      const answer = this.#answer();
      this.#process?.stdin?.write(`${file}\n`);
      return (await answer) ?? this.#failed('ended, or took too long');
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.#process?.kill('SIGKILL');
  }

  #answer(): Promise<Answer | null> {
    return new Promise((resolve) => {
      if (this.#process === null) resolve(null);
      else this.#answers.push(resolve);
    });
  }

  #failed(what: string): PyTorchResult {
    return { output: '', error: `Python ${what}: ${this.#lastWords.trim().slice(-400)}` };
  }
}
