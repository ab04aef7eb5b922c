/** Bundles are packed if the system makes no links: for ordinary users of Windows, and on disks without links. */
import { linkSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { bundleFormat, bundleVersion, type Manifest } from '../../../host/library/bundle/manifest.ts';
import { readBundle } from '../../../host/library/bundle/readBundle.ts';
import { type PackedFile, writeBundle } from '../../../host/library/bundle/writeBundle.ts';
import { newFolder } from '../../support/newFolder.ts';

vi.mock('node:fs/promises', async (original) => {
  const refused = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' }));
  return { ...(await original<typeof import('node:fs/promises')>()), symlink: refused, link: refused };
});

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

/** Returns the contents of these experiments from a bundle. */
async function packedAndRead(files: readonly PackedFile[]): Promise<string[]> {
  const manifest: Manifest = {
    format: bundleFormat,
    version: bundleVersion,
    createdAt: '2026-11-20T09:00:00.000Z',
    program: 'test',
    experiments: files.map(({ id }) => ({ id, name: id })),
    runs: [],
    sweeps: [],
  };
  const [packed, unpacked] = [join(folder, 'packed.copyscope'), mkdtempSync(join(folder, 'unpacked-'))];
  await writeFile(packed, await writeBundle(manifest, files, join(folder, 'packing')));
  const read = await readBundle(packed, unpacked);
  expect(read.files.map(({ id }) => id)).toEqual(files.map(({ id }) => id));
  return read.files.map(({ path }) => readFileSync(path, 'utf8'));
}

it('packs files where they lie, and those that are made for it', async () => {
  const path = join(folder, 'anything');
  writeFileSync(path, '{"a":1}');
  const files: PackedFile[] = [
    { kind: 'experiment', id: 'kept', path },
    { kind: 'experiment', id: 'made', text: '{"b":2}' },
  ];
  expect(await packedAndRead(files)).toEqual(['{"a":1}', '{"b":2}']);
});

it('packs each of two names of one file whole, since a bundle holds no links', async () => {
  const paths = [join(folder, 'one'), join(folder, 'other')] as const;
  writeFileSync(paths[0], '{}');
  linkSync(...paths);
  const files = paths.map((path, at) => ({ kind: 'experiment', id: `e${at}`, path }) as const);
  expect(await packedAndRead(files)).toEqual(['{}', '{}']);
});
