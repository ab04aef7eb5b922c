/** Packs library items into a bundle as a stream, without holding it whole. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { create } from 'tar';
import { makeFolder, privately } from '../../files/files.ts';
import { type Entry, entriesOf, type Manifest, manifestName, manifestText, pathOf } from './manifest.ts';

/** A file of the bundle by its path or content. */
export type PackedFile = Entry & ({ readonly path: string } | { readonly text: string });

/**
 * Returns the archive. `folder` is an unused name for files made for the bundle, until the stream ends. Other files are
 * packed from their places, since not every disk has links. Rejects with a file error before anything was sent. If the
 * stream is destroyed early, its current file is read to the end, the packer's only way to close it.
 */
export async function writeBundle(manifest: Manifest, files: readonly PackedFile[], folder: string): Promise<Readable> {
  const entries = entriesOf(manifest);
  await makeFolder(folder, privately.folder);
  const names = new Map([[asPacked(await madeFile(folder, manifestName, manifestText(manifest))), manifestName]]);
  for (const file of files) {
    const name = pathOf(file);
    const path = 'path' in file ? file.path : await madeFile(folder, name, file.text);
    if (entries.has(name)) names.set(asPacked(path), name);
  }
  const options = { cwd: folder, gzip: { level: 6 }, portable: true, follow: true, strict: true, preservePaths: true };
  const pack = create(
    {
      ...options,
      // Only one file is open at a time.
      jobs: 1,
      filter: () => !stream.destroyed,
      onWriteEntry: (entry) => {
        entry.path = names.get(entry.absolute) ?? entry.path;
      },
    },
    [...names.keys()],
  );
  const stream = Readable.from(pack as unknown as AsyncIterable<Buffer>, { objectMode: false });
  const clear = (): void => void rm(folder, { recursive: true, force: true });
  // The stream sees an error only while it waits for data.
  pack.on('error', (error) => stream.destroy(error as Error));
  stream.once('close', () => pack.on('error', clear).on('end', clear).resume());
  return stream;
}

/** Writes a file under its name below the folder. */
async function madeFile(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** Returns a path as the packer writes it, with '/' on every system. */
const asPacked = (path: string): string => resolve(path).split(sep).join('/');
