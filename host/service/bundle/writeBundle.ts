/** Packs things of the library into a bundle, as a stream: nothing of it is held whole. */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { create } from 'tar';
import { privately } from '../files.ts';
import { type Entry, entriesOf, type Manifest, manifestName, manifestText, pathOf } from './manifest.ts';

/** Where it lies, or what is in it. */
export type PackedFile = Entry & ({ readonly path: string } | { readonly text: string });

/**
 * The archive. `folder` is a name that nothing has yet; it holds links to the files, and those that are made for the
 * bundle, until the stream has ended. Rejects with a file error before anything was sent. Where the stream is destroyed
 * before its end, the file that it was at is read on: the packer knows no other way to close it.
 */
export async function writeBundle(manifest: Manifest, files: readonly PackedFile[], folder: string): Promise<Readable> {
  const entries = entriesOf(manifest);
  await mkdir(folder, { recursive: true, mode: privately.folder });
  await writeFile(join(folder, manifestName), manifestText(manifest));
  for (const file of files) {
    const link = join(folder, pathOf(file));
    await mkdir(dirname(link), { recursive: true });
    if ('path' in file) await symlink(file.path, link);
    else await writeFile(link, file.text);
  }
  const names = [manifestName, ...files.map(pathOf).filter((path) => entries.has(path))];
  const options = { cwd: folder, gzip: { level: 6 }, portable: true, follow: true, strict: true };
  // One after another: none but the one that is packed is open.
  const pack = create({ ...options, jobs: 1, filter: () => !stream.destroyed }, names);
  const stream = Readable.from(pack as unknown as AsyncIterable<Buffer>, { objectMode: false });
  const clear = (): void => void rm(folder, { recursive: true, force: true });
  // The stream hears of one only while it waits for more.
  pack.on('error', (error) => stream.destroy(error as Error));
  stream.once('close', () => pack.on('error', clear).on('end', clear).resume());
  return stream;
}
