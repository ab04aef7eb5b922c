/**
 * One headless server for all tests of a Playwright worker, in the worker's own process: what a process costs to start,
 * and code to warm up, is paid once. Each test has a host of its own behind it, with its own data folder and engine
 * process. Tests that end a server or look at its processes start a Server instead.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { forkEngine } from '../../../host/engine/child.ts';
import { programFolder, programVersion } from '../../../host/paths.ts';
import { type RunningServer, startServer } from '../../../host/server/server.ts';
import { systemBin } from '../../../host/service/bin/bin.ts';
import { freedesktopBin } from '../../../host/service/bin/freedesktopBin.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { DataFolder } from './dataFolder.ts';

const program = programFolder();
type Served = Pick<Host, 'service' | 'addWindow' | 'runFile' | 'bundle'>;

export class SharedServer {
  readonly #server: RunningServer;
  readonly #cookie: { readonly name: string; readonly value: string };
  readonly #current: { host: Host | null };

  readonly #memory: string;

  private constructor(server: RunningServer, cookie: string, current: { host: Host | null }, memory: string) {
    const [pair = ''] = cookie.split(';');
    this.#server = server;
    this.#memory = memory;
    this.#cookie = { name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) };
    this.#current = current;
  }

  static async start(): Promise<SharedServer> {
    const current: { host: Host | null } = { host: null };
    const host = (): Host => {
      if (current.host === null) throw new Error('no test is running');
      return current.host;
    };
    // A window that a test left open speaks to nobody once the test is over.
    const served: Served = {
      get service() {
        return host().service;
      },
      addWindow: (events) => host().addWindow(events),
      runFile: (id) => host().runFile(id),
      bundle: (ticket) => host().bundle(ticket),
    };
    const server = await startServer({ host: served, pageFolder: join(program, 'dist/renderer') });
    // The token works once: its cookie lets the browsers of all tests in.
    const admitted = await fetch(server.address, { redirect: 'manual' });
    return new SharedServer(server, admitted.headers.get('set-cookie') ?? '', current, await memoryOfShipped());
  }

  /** What a test needs, and lets `context` in; stop() ends it with its folder. */
  async begin(context: BrowserContext): Promise<TestServer> {
    const test = new TestServer(this.#url, () => {
      this.#current.host?.close();
      this.#current.host = null;
    });
    await context.addCookies([{ ...this.#cookie, url: this.#url, httpOnly: true, sameSite: 'Strict' }]);
    mkdirSync(dirname(memoryOf(test)), { recursive: true });
    writeFileSync(memoryOf(test), this.#memory);
    this.#current.host = hostOn(test);
    return test;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }
}

const hostOn = ({ dataFolder, home }: DataFolder): Host =>
  createHost({
    about: { version: programVersion(program), shell: 'browser', platform: process.platform, dataFolder },
    assetsFolder: join(program, 'assets'),
    spawnEngine: () => forkEngine(join(program, 'dist/host/engine-process.js')),
    // A bin of its own: what a test deletes must not end in the person's.
    bin: systemBin() && freedesktopBin({ ...process.env, XDG_DATA_HOME: home }),
  });

const memoryOf = ({ dataFolder }: DataFolder): string => join(dataFolder, 'cache/seen-files.json');

/**
 * What a host keeps of the files that ship with the program once it has listed them. Every test begins with it, as every
 * start but a person's first does: reading all lessons and runs again would be most of what a start takes.
 */
async function memoryOfShipped(): Promise<string> {
  const folder = new DataFolder();
  const host = hostOn(folder);
  const { service } = host;
  await Promise.all([service.profiles(), service.examples(), service.lessons(), service.runs()]);
  host.close();
  const memory = readFileSync(memoryOf(folder), 'utf8');
  folder.removeFolder();
  return memory;
}

/** The shared server as one test has it. */
class TestServer extends DataFolder {
  readonly #url: string;
  readonly #end: () => void;

  constructor(url: string, end: () => void) {
    super();
    this.#url = url;
    this.#end = end;
  }

  async address(): Promise<string> {
    return this.#url;
  }

  async stop(): Promise<void> {
    this.#end();
    this.removeFolder();
  }
}
