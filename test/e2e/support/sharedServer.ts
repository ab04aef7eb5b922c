/**
 * One headless server for all tests of a Playwright worker, in the worker's own process, to start and warm up only
 * once. Each test has its own host, data folder and engine process. Tests that end a server or inspect its processes
 * start a Server instead.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { forkEngine } from '../../../host/engine/child.ts';
import { programFolder, programVersion } from '../../../host/paths.ts';
import { type RunningServer, startServer } from '../../../host/server/server.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { DataFolder } from './dataFolder.ts';

const program = programFolder();
type Served = Pick<Host, 'service' | 'addWindow' | 'runFile' | 'bundle'>;

export class SharedServer {
  readonly #server: RunningServer;
  readonly #current: { host: Served | null };
  readonly #memory: string;

  private constructor(server: RunningServer, current: { host: Served | null }, memory: string) {
    this.#server = server;
    this.#memory = memory;
    this.#current = current;
  }

  static async start(): Promise<SharedServer> {
    const current: { host: Served | null } = { host: null };
    const host = (): Served => {
      if (current.host === null) throw new Error('no test is running');
      return current.host;
    };
    // A window left open by a test has no host after the test.
    const served: Served = {
      get service() {
        return host().service;
      },
      addWindow: (events) => host().addWindow(events),
      runFile: (id) => host().runFile(id),
      bundle: (ticket) => host().bundle(ticket),
    };
    const server = await startServer({ host: served, pageFolder: join(program, 'dist/renderer') });
    return new SharedServer(server, current, await memoryOfShipped());
  }

  /** Begins a test; stop() closes the pages of `context`, ends the test's host, and removes its folder. */
  async begin(context: BrowserContext): Promise<TestServer> {
    const folder = new DataFolder();
    mkdirSync(dirname(memoryOf(folder)), { recursive: true });
    writeFileSync(memoryOf(folder), this.#memory);
    const host = hostOn(folder);
    const windows = new WindowsOf(host);
    this.#current.host = windows.served;
    return new TestServer(folder.dataFolder, this.#server, async () => {
      await Promise.all(context.pages().map((page) => page.close()));
      await windows.gone();
      this.#current.host = null;
      host.close();
      await windows.answered();
    });
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

const hostOn = ({ dataFolder }: DataFolder): Host =>
  createHost({
    about: { version: programVersion(program), shell: 'browser', platform: process.platform, dataFolder },
    assetsFolder: join(program, 'assets'),
    spawnEngine: () => forkEngine(join(program, 'dist/host/engine-process.js')),
  });

const memoryOf = ({ dataFolder }: DataFolder): string => join(dataFolder, 'cache/seen-files.json');

/**
 * Returns a host's cache of the files that ship with the program. Every test begins with it, as every start after the
 * first does: reading all lessons and runs again would take most of a start.
 */
async function memoryOfShipped(): Promise<string> {
  const folder = new DataFolder();
  const host = hostOn(folder);
  const { service } = host;
  await Promise.all([service.profiles(), service.examples(), service.lessons(), service.runs()]);
  host.close();
  const memory = readFileSync(memoryOf(folder), 'utf8');
  await folder.removeFolder();
  return memory;
}

/** The windows of a host: resolves when they are gone, and when their calls are done. */
class WindowsOf {
  readonly served: Served;
  readonly #calls = new Set<Promise<unknown>>();
  #open = 0;
  #lastGone: () => void = () => {};

  constructor(host: Host) {
    this.served = {
      service: new Proxy(host.service, { get: (service, name) => this.#followed(Reflect.get(service, name)) }),
      addWindow: (events) => this.#opened(host.addWindow(events)),
      runFile: (id) => host.runFile(id),
      bundle: (ticket) => host.bundle(ticket),
    };
  }

  /** Resolves when the last messages of the windows have been read. */
  async gone(): Promise<void> {
    const last = new Promise<void>((resolve) => {
      this.#lastGone = resolve;
    });
    if (this.#open > 0) await last;
  }

  async answered(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }

  #opened(remove: () => void): () => void {
    this.#open += 1;
    return () => {
      remove();
      this.#open -= 1;
      if (this.#open === 0) this.#lastGone();
    };
  }

  #followed(call: unknown): unknown {
    if (typeof call !== 'function') return call;
    return (...args: unknown[]): Promise<unknown> => {
      const answer = Promise.resolve(call(...args)).finally(() => this.#calls.delete(answer));
      this.#calls.add(answer);
      return answer;
    };
  }
}

/** The shared server for one test. */
class TestServer extends DataFolder {
  readonly #server: RunningServer;
  readonly #end: () => Promise<void>;

  constructor(folder: string, server: RunningServer, end: () => Promise<void>) {
    super(folder);
    this.#server = server;
    this.#end = end;
  }

  async address(): Promise<string> {
    return this.#server.address;
  }

  async stop(): Promise<void> {
    await this.#end();
    await this.removeFolder();
  }
}
