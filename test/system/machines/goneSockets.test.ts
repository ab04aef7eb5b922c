import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearGoneSockets } from '../../../host/machines/goneSockets.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-sockets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform !== 'linux')('sockets of keepers (skipped: they are on Linux only)', () => {
  it('go where nobody listens any more, and stay where somebody does', async () => {
    writeFileSync(join(folder, 'gone'), '');
    const server = createServer().listen(join(folder, 'here'));
    clearGoneSockets(folder);
    expect(readdirSync(folder)).toEqual(['here']);
    await new Promise((resolve) => server.close(resolve));
  });

  it('stay where a keeper begins while they are looked through', async () => {
    const server = createServer();
    clearGoneSockets(folder, () => {
      const listed = readFileSync('/proc/net/unix', 'utf8');
      server.listen(join(folder, 'new'));
      return listed;
    });
    expect(readdirSync(folder)).toEqual(['new']);
    await new Promise((resolve) => server.close(resolve));
  });
});

it('sockets of keepers stay where no list says which are bound, as on macOS', () => {
  writeFileSync(join(folder, 'of somebody'), '');
  clearGoneSockets(folder, () => readFileSync(join(folder, 'no list'), 'utf8'));
  expect(readdirSync(folder)).toEqual(['of somebody']);
});
