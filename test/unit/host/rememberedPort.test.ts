import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startOnUsualPort } from '../../../host/server/openBrowser.ts';
import type { RunningServer } from '../../../host/server/server.ts';
import { type HeldPort, holdPort } from '../../support/heldPort.ts';
import { newFolder } from '../../support/newFolder.ts';

let folder: string;
let held: HeldPort;
const running: RunningServer[] = [];
const memory = (): string => join(folder, 'serve.json');
/** Writes the port of an earlier start; no other process takes it between two starts. */
const remember = (): void => writeFileSync(memory(), JSON.stringify({ port: held.port }));

const host = {
  service: {} as never,
  addWindow: () => () => {},
  runFile: () => Promise.reject(new Error('none')),
  bundle: () => Promise.reject(new Error('none')),
};

async function start(port?: number): Promise<RunningServer> {
  const server = await startOnUsualPort({ host, pageFolder: join(folder, 'page'), port }, folder);
  running.push(server);
  return server;
}

beforeEach(async () => {
  held = await holdPort();
  folder = newFolder();
  mkdirSync(join(folder, 'page'));
  writeFileSync(join(folder, 'page/index.html'), '');
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  held.release();
});

it('is any free one at the first start, and remembered', async () => {
  const { port } = await start();
  expect(JSON.parse(readFileSync(memory(), 'utf8'))).toEqual({ port });
});

it('is taken again at the next start', async () => {
  remember();
  for (let time = 0; time < 2; time += 1) {
    const server = await start();
    expect(server.port).toBe(held.port);
    await server.close();
  }
});

it('is left to a Copyscope that has it already, and stays remembered', async () => {
  remember();
  const first = await start();
  expect(first.port).toBe(held.port);
  const second = await start();
  expect(second.port).not.toBe(first.port);
  await first.close();
  await second.close();
  expect((await start()).port).toBe(first.port);
});

it('gives way to a port that was asked for', async () => {
  const first = await start();
  await expect(start(first.port)).rejects.toMatchObject({ code: 'server.port-taken' });
});

it.each(['', '{', '{"port":0}', '{"port":99999}', '{"port":"80"}'])(
  'is any free one where the file holds %j',
  async (text) => {
    writeFileSync(memory(), text);
    expect((await start()).port).toBeGreaterThan(0);
  },
);
