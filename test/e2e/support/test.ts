/** Fixtures of every spec: a server with the test's own data folder, and the window open on it. */
import { test as base, expect } from '@playwright/test';
import { holdPort } from '../../support/heldPort.ts';
import type { DataFolder } from './dataFolder.ts';
import { Server } from './server.ts';
import { SharedServer } from './sharedServer.ts';
import { Window } from './window.ts';

interface Fixtures {
  /** The worker's server, with a host and a data folder of the test. */
  server: DataFolder & { address(): Promise<string> };
  window: Window;
}

export const test = base.extend<Fixtures, { shared: SharedServer }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that one needs from the pattern.
    async ({}, use) => {
      const shared = await SharedServer.start();
      await use(shared);
      await shared.close();
    },
    { scope: 'worker' },
  ],
  server: async ({ shared, context }, use) => {
    const server = await shared.begin(context);
    await use(server);
    await server.stop();
  },
  window: async ({ page, server }, use) => {
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    const question = page.getByRole('dialog', { name: 'Start this program?' });
    await page.addLocatorHandler(question, () => question.getByRole('button', { name: 'Start' }).click());
    await page.goto(await server.address());
    const window = new Window(page);
    await window.ready();
    await use(window);
    // Refused content, a broken policy or an exception in a handler is visible only here.
    expect(problems, 'errors in the page').toEqual([]);
  },
});

/** Gives each test its own server process, with these environment variables. */
export const testWith = (environment: () => Readonly<Record<string, string>>) =>
  test.extend<{ server: Server }>({
    server: async ({ browserName: _browserName }, use) => {
      const server = new Server({ environment: environment() });
      await use(server);
      await server.stop();
    },
  });

/** Tests that end the server or inspect its processes. */
export const testOfProcess = testWith(() => ({}));

/** Tests with a fixed port, which a next server on the same folder gets again. */
export const withPort = testOfProcess.extend<{ server: Server }>({
  server: async ({ browserName: _browserName }, use) => {
    const held = await holdPort();
    const server = new Server({ port: held.port });
    await use(server);
    await server.stop();
    held.release();
  },
});

export { expect };
