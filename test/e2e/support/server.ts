/** The real headless server, as `copyscope serve` starts it, with a data folder of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const startTimeoutMs = 60_000;

interface ServerOptions {
  /** Of a server that was there before; else a new one. */
  readonly dataFolder?: string;
  /** What follows `serve` on the command line. */
  readonly args?: readonly string[];
}

export class Server {
  readonly dataFolder: string;
  readonly #child: ChildProcess;
  #output = '';

  constructor({ dataFolder, args = [] }: ServerOptions = {}) {
    this.dataFolder = dataFolder ?? mkdtempSync(join(tmpdir(), 'copyscope-e2e-'));
    this.#child = spawn(process.execPath, [join(root, 'dist/host/cli.js'), 'serve', ...args], {
      // A bin of its own: what a test deletes must not end in the person's.
      env: { ...process.env, COPYSCOPE_DATA: this.dataFolder, XDG_DATA_HOME: join(this.dataFolder, 'home') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** The address that it printed. It works once. */
  async address(): Promise<string> {
    const deadline = Date.now() + startTimeoutMs;
    while (Date.now() < deadline && this.#child.exitCode === null) {
      const address = /^http:\/\/127\.0\.0\.1:\d+\/\?token=\S+$/m.exec(this.#output)?.[0];
      if (address !== undefined) return address;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the server printed no address:\n${this.#output}`);
  }

  /** Puts a document among the user's experiments, as another program could. */
  addExperiment(id: string, document: unknown): void {
    const path = join(this.dataFolder, 'experiments', `${id}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
  }

  /** Puts a lesson among the user's own. */
  addLesson(name: string, text: string): void {
    const path = join(this.dataFolder, 'lessons', `${name}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Every file in the data folder with its content, to show that nothing changed; the memory of lists is no content. */
  files(): Record<string, string> {
    const names = readdirSync(this.dataFolder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const cache = join(this.dataFolder, 'cache');
    const paths = names.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.startsWith(cache));
    return Object.fromEntries(paths.sort().flatMap(contentOf));
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
    rmSync(this.dataFolder, { recursive: true, force: true });
  }
}

/** Nothing where it has gone since it was listed: a file that is written whole has another name until it is. */
function contentOf(path: string): (readonly [string, string])[] {
  try {
    return [[path, readFileSync(path, 'base64')]];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
