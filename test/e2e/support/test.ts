/** Fixtures of every spec: a server process with the test's own data folder, and the window open on it. */
import { test as base, expect } from '@playwright/test';
import { holdPort } from '../../support/heldPort.ts';
import { Server } from './server.ts';
import { Window } from './window.ts';

interface Fixtures {
  /** A server process with a data folder of the test. */
  server: Server;
  window: Window;
}

export const test = base.extend<Fixtures>({
  server: async ({ browserName: _browserName }, use) => {
    const server = new Server();
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

/** Tests with a fixed port, which a next server on the same folder gets again. */
export const withPort = test.extend({
  server: async ({ browserName: _browserName }, use) => {
    const held = await holdPort();
    const server = new Server({ port: held.port });
    await use(server);
    await server.stop();
    held.release();
  },
});

export { expect };
