/** A window whose host reaches another machine, behind a stand-in for ssh. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type StandIn, standInSsh } from '../../unit/machines/support/standInSsh.ts';
import { follow, seriousProblems } from './looks.ts';
import { Server } from './server.ts';
import { test as base, expect } from './test.ts';

const cli = join(import.meta.dirname, '../../../dist/host/cli.js');
const screenshots = join(import.meta.dirname, '../../../test-results/screenshots');

/** It is not set up yet. */
export const bare = base.extend<{ machine: StandIn; server: Server }>({
  machine: async ({ browserName: _browserName }, use) => {
    const machine = standInSsh();
    await use(machine);
    machine.remove();
  },
  server: async ({ machine }, use) => {
    const server = new Server({ environment: { COPYSCOPE_SSH: machine.environment['COPYSCOPE_SSH'] ?? '' } });
    await use(server);
    await server.stop();
  },
});

export const addTo = (machine: StandIn, server: Server): void =>
  void execFileSync(process.execPath, [cli, 'host', 'add', 'gpu-box', '--yes'], {
    env: { ...machine.environment, COPYSCOPE_DATA: server.dataFolder },
    stdio: 'pipe',
  });

/** It is set up as gpu-box. */
export const test = bare.extend({
  server: async ({ machine, server }, use) => {
    addTo(machine, server);
    await use(server);
  },
});

/** The second is the one that goes on. */
const sizes = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 800 },
];

/** In both themes: what axe says, and pictures. */
export async function shoot(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await follow(page, theme);
    expect(await seriousProblems(page)).toEqual([]);
    for (const { width, height } of sizes) {
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`) });
    }
  }
}

export { expect };
