/** Full or read-only disks, folders that vanish, two servers on one folder, and a clock that jumps. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { libraryItems } from '../../../core/service/service.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importedRun } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let folder: string;
const hosts: Host[] = [];
const mounted: string[] = [];

function hostOn(dataFolder: string): Host {
  const host = hostOf(dataFolder);
  hosts.push(host);
  return host;
}

const named = (name: string) => ({ ...example(), name });
const runFile = (name: string): Uint8Array => encodeRun(smallRun(named(name), 'cpu'));
const note = notesChange([{ id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' }]);

beforeEach(() => {
  folder = newFolder();
});
afterEach(() => {
  vi.useRealTimers();
  for (const host of hosts.splice(0)) host.close();
  for (const disk of mounted.splice(0)) spawnSync('umount', ['-l', disk]);
});

/** Mounts a disk; null if this process may mount none. */
function disk(options: string): string | null {
  const path = mkdtempSync(join(folder, 'disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status !== 0) return null;
  mounted.push(path);
  return path;
}

const canMount = (() => {
  const path = newFolder();
  const can = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]).status === 0;
  if (can) spawnSync('umount', ['-l', path]);
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  return can;
})();
const ofDisks = (name: string): string => (canMount ? name : `${name} (skipped: no disk can be mounted here)`);

/** Returns the files of finished writes, and of unfinished ones. */
const kept = (dataFolder: string): string[] =>
  readdirSync(dataFolder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataFolder.length + 1))
    .filter((path) => !/^(cache|deleted)\//.test(path))
    .sort();

describe.skipIf(!canMount)(ofDisks('a full disk'), () => {
  it('keeps what was confirmed, leaves no beginning of anything, and lets its user delete', async () => {
    const dataFolder = disk('size=1m') ?? '';
    const { service } = hostOn(dataFolder);
    const id = await service.saveExperiment(null, named('mine'));
    const { id: run } = await importedRun(service, 'a.arrow', runFile('a'));
    await service.saveNotes(run, note);
    const before = kept(dataFolder);
    const filling = join(dataFolder, 'cache');
    mkdirSync(filling, { recursive: true });
    expect(() => {
      for (const size of [65_536, 4096, 1]) {
        for (let at = 0; at < 1000; at += 1) {
          try {
            writeFileSync(join(filling, `${size}-${at}`), new Uint8Array(size));
          } catch {
            break;
          }
        }
      }
      writeFileSync(join(filling, 'last'), new Uint8Array(65_536));
    }).toThrow('ENOSPC');
    const full = { code: 'file.failed', message: expect.stringContaining('ENOSPC') };
    await expect(service.saveExperiment(null, named('other'))).rejects.toMatchObject(full);
    await expect(service.saveExperiment(id, { ...named('mine'), description: 'x'.repeat(9000) })).rejects.toMatchObject(
      full,
    );
    await expect(importedRun(service, 'b.arrow', runFile('b'))).rejects.toMatchObject(full);
    expect(kept(dataFolder)).toEqual(before);
    expect(JSON.parse(await service.readExperiment(id)).description).toBe(example().description);
    await service.deleteItems(libraryItems({ experiments: [id], runs: [run] }));
    expect(kept(dataFolder).filter((path) => !path.startsWith('trash/'))).toEqual([]);
  });
});

describe.skipIf(!canMount)(ofDisks('a folder that can’t be written'), () => {
  it('is read all the same, and says why nothing is kept', async () => {
    const dataFolder = disk('size=4m') ?? '';
    const first = hostOn(dataFolder);
    const id = await first.service.saveExperiment(null, named('mine'));
    expect(spawnSync('mount', ['-o', 'remount,ro', dataFolder]).status).toBe(0);
    const { service } = hostOn(dataFolder);
    expect(JSON.parse(await service.readExperiment(id)).name).toBe('mine');
    const refused = { code: 'file.failed', message: expect.stringContaining('EROFS'), remedy: expect.any(String) };
    await expect(service.saveExperiment(null, named('other'))).rejects.toMatchObject(refused);
    await expect(service.saveExperiment(id, named('mine'))).rejects.toMatchObject(refused);
    await expect(importedRun(service, 'a.arrow', runFile('a'))).rejects.toMatchObject(refused);
    await expect(service.deleteItems(libraryItems({ experiments: [id] }))).rejects.toMatchObject(refused);
    expect((await service.experiments()).map((one) => one.id)).toEqual([id]);
  });
});
