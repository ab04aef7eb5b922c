/** The fixtures of every spec: a server of its own, and the window open on it. */
import { test as base, expect } from '@playwright/test';
import { Server } from './server.ts';
import { Window } from './window.ts';

interface Fixtures {
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
    await page.goto(await server.address());
    const window = new Window(page);
    await window.ready();
    await use(window);
    // Refused content, a broken policy or an exception in a handler shows nowhere else.
    expect(problems, 'errors in the page').toEqual([]);
  },
});

export { expect };
