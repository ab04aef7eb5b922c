/** Files of another machine, with a stand-in for ssh: read there and nowhere else, and to their end. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBundle } from '../../../host/machines/bundle.ts';
import { type FileThereOptions, fileThere } from '../../../host/machines/fileThere.ts';
import { MachineStore } from '../../../host/machines/machineStore.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { type StandIn, standInSsh } from './support/standInSsh.ts';

let machine: StandIn;
beforeEach(() => {
  machine = standInSsh();
});
afterEach(() => {
  vi.unstubAllEnvs();
  machine.remove();
});

const bytes = Buffer.alloc(3 << 20, 'some bytes, ');
const open = (path: string, more: Partial<FileThereOptions> = {}) =>
  fileThere({ host: 'box', path, environment: machine.environment, pausesMs: [0], ...more });

async function all(parts: AsyncIterable<Uint8Array>, onPart: (done: number) => void = () => {}): Promise<Buffer> {
  let read = Buffer.alloc(0);
  for await (const part of parts) {
    read = Buffer.concat([read, part]);
    onPart(read.byteLength);
  }
  return read;
}

describe('a file there', () => {
  it.each(['trace.json', '~/trace.json', "it's $HOME `here` \\; #.json", '-rf'])(
    'is read by its path %j',
    async (path) => {
      writeFileSync(join(machine.home, path.replace('~/', '')), bytes);
      const file = await open(path);
      expect(file).toMatchObject({ name: path.replace('~/', ''), bytes: bytes.byteLength });
      expect((await all(file.parts)).equals(bytes)).toBe(true);
    },
  );

  it('that is not there, or a folder, is said so', async () => {
    await expect(open('none.json')).rejects.toMatchObject({ code: 'file.not-found' });
    mkdirSync(join(machine.home, 'folder'));
    await expect(open('folder')).rejects.toMatchObject({ code: 'file.not-found' });
    machine.fail('ssh: connect to host box port 22: No route to host\n');
    await expect(open('none.json')).rejects.toMatchObject({ code: 'host.unreachable' });
  });

  it('can be asked for where there is no ssh: the host says so, and goes on', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', hear);
    try {
      await expect(open('trace.json', { environment: { PATH: '' } })).rejects.toMatchObject({ code: 'host.no-ssh' });
    } finally {
      process.off('unhandledRejection', hear);
    }
    expect(unheard).toEqual([]);
  });

  it('goes on at the byte that is missing where the line drops', async () => {
    writeFileSync(join(machine.home, 'trace.json'), bytes);
    const lost: string[] = [];
    const file = await open('trace.json', { onLost: ({ code }) => lost.push(code) });
    let isCut = false;
    const read = await all(file.parts, () => {
      if (!isCut) machine.cut();
      isCut = true;
    });
    expect(read.equals(bytes)).toBe(true);
    expect(lost).toHaveLength(1);
  });
});

describe('copyscope explain and lift', () => {
  const trace = {
    traceEvents: [
      {
        ph: 'X',
        cat: 'kernel',
        name: 'k',
        ts: 10,
        dur: 5,
        pid: 0,
        tid: 7,
        args: { device: 0, stream: 7, correlation: 1 },
      },
      {
        ph: 'X',
        cat: 'cuda_runtime',
        name: 'cudaLaunchKernel',
        ts: 1,
        dur: 2,
        pid: 1,
        tid: 1,
        args: { correlation: 1 },
      },
    ],
  };
  let program: BuiltProgram;

  it('read a trace of that machine, and leave no copy', async () => {
    program = await buildProgram();
    const { build, version } = await readBundle(program.folder);
    const known = { name: 'box', version, build, system: 'Linux x86_64', addedAt: new Date().toISOString() };
    await new MachineStore(machine.data).put(known);
    const context = { program: program.folder, environment: machine.environment };
    // Where nobody else's are.
    const temporary = join(machine.data, 'temporary');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    expect(tmpdir()).toBe(temporary);
    writeFileSync(join(machine.home, 'trace.json'), JSON.stringify(trace));
    const { out, exitCode } = await copyscope(['explain', '--host', 'box', 'trace.json', '--json'], program.engine, {
      context,
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).format).toBe('copyscope/summary');
    writeFileSync(join(machine.home, 'other.txt'), 'nothing of ours');
    const refused = await copyscope(['explain', '--host', 'box', 'other.txt'], program.engine, { context });
    expect(refused.exitCode).toBe(2);
    expect(refused.err).not.toContain(temporary);
    expect(readdirSync(temporary)).toEqual([]);
    program.remove();
  });
});
