/** The real headless server, as `copyscope serve` starts it, with a data folder of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolder } from './dataFolder.ts';

const root = join(import.meta.dirname, '../../..');
const startTimeoutMs = 60_000;

interface ServerOptions {
  /** Of a server that was there before; else a new one. */
  readonly dataFolder?: string;
  /** It remembers this one, as of an earlier time: where nobody else has it, a next server on the folder gets it too. */
  readonly port?: number;
  /** What follows `serve` on the command line. */
  readonly args?: readonly string[];
  /** Beside this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

export class Server extends DataFolder {
  readonly #child: ChildProcess;
  #output = '';
  #addresses = 0;

  constructor({ dataFolder, port, args = [], environment = {} }: ServerOptions = {}) {
    super(dataFolder);
    if (port !== undefined) writeFileSync(join(this.dataFolder, 'serve.json'), JSON.stringify({ port }));
    this.#child = spawn(process.execPath, [join(root, 'dist/host/cli.js'), 'serve', ...args], {
      // A bin of its own: what a test deletes must not end in the person's.
      env: { ...process.env, COPYSCOPE_DATA: this.dataFolder, XDG_DATA_HOME: this.home, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** The address that it printed next. It works once, and the next one is printed when it was used. */
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

  /** Ids of the engine processes it has started. */
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

  /** Ends it with no chance to do anything, as a power cut would. Its data folder stays. */
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
