/**
 * One headless server for all tests of a Playwright worker, in the worker's own process: what a process costs to start,
 * and code to warm up, is paid once. Each test has a host of its own behind it, with its own data folder and engine
 * process. Tests that end a server or look at its processes start a Server instead.
 */
import { join } from 'node:path';
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

  private constructor(server: RunningServer, cookie: string, current: { host: Host | null }) {
    const [pair = ''] = cookie.split(';');
    this.#server = server;
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
    return new SharedServer(server, admitted.headers.get('set-cookie') ?? '', current);
  }

  /** What a test needs, and lets `context` in; stop() ends it with its folder. */
  async begin(context: BrowserContext): Promise<TestServer> {
    const test = new TestServer(this.#url, () => {
      this.#current.host?.close();
      this.#current.host = null;
    });
    await context.addCookies([{ ...this.#cookie, url: this.#url, httpOnly: true, sameSite: 'Strict' }]);
    this.#current.host = createHost({
      about: {
        version: programVersion(program),
        shell: 'browser',
        platform: process.platform,
        dataFolder: test.dataFolder,
      },
      assetsFolder: join(program, 'assets'),
      spawnEngine: () => forkEngine(join(program, 'dist/host/engine-process.js')),
      // A bin of its own: what a test deletes must not end in the person's.
      bin: systemBin() && freedesktopBin({ ...process.env, XDG_DATA_HOME: test.home }),
    });
    return test;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#server.port}/`;
  }
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
