/** A window whose host reaches another machine, behind a stand-in for ssh. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type StandIn, standInSsh } from '../../system/machines/support/standInSsh.ts';
import { Server } from './server.ts';
import { test as base, expect } from './test.ts';

const cli = join(import.meta.dirname, '../../../dist/host/cli.js');

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

export { expect };
