/** The real headless server, started like `copyscope serve`, with its own data folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolder } from './dataFolder.ts';

const root = join(import.meta.dirname, '../../..');
const startTimeoutMs = 60_000;

interface ServerOptions {
  /** Folder of an earlier server; else a new one. */
  readonly dataFolder?: string;
  /** Port that the folder remembers: a next server on it gets the port again if it is free. */
  readonly port?: number;
}

export class Server extends DataFolder {
  readonly #child: ChildProcess;
  #output = '';
  #addresses = 0;

  constructor({ dataFolder, port }: ServerOptions = {}) {
    super(dataFolder);
    if (port !== undefined) writeFileSync(join(this.dataFolder, 'serve.json'), JSON.stringify({ port }));
    this.#child = spawn(process.execPath, [join(root, 'dist/host/cli.js'), 'serve'], {
      env: { ...process.env, COPYSCOPE_DATA: this.dataFolder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** Returns the next printed address. It works once, and the next one is printed after its use. */
  async address(): Promise<string> {
    const deadline = Date.now() + startTimeoutMs;
    while (Date.now() < deadline && this.#child.exitCode === null) {
      const address = this.#output.match(/^http:\/\/127\.0\.0\.1:\d+\/\?token=\S+$/gm)?.[this.#addresses];
      if (address !== undefined) {
        this.#addresses += 1;
        return address;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the server printed no address:\n${this.#output}`);
  }

  /** Returns the ids of the engine processes that it has started. */
  enginePids(): number[] {
    try {
      const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(this.#child.pid)], { encoding: 'utf8' });
      return listed
        .split('\n')
        .map(Number)
        .filter((pid) => pid > 0);
    } catch {
      return [];
    }
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills it without a chance to react, like a power cut. Keeps its data folder. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    if (this.isRunning()) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
    }
    await this.removeFolder();
  }
}
