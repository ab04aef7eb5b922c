/** Packs things of the library into a bundle, as a stream: nothing of it is held whole. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { create } from 'tar';
import { makeFolder, privately } from '../files.ts';
import { type Entry, entriesOf, type Manifest, manifestName, manifestText, pathOf } from './manifest.ts';

/** Where it lies, or what is in it. */
export type PackedFile = Entry & ({ readonly path: string } | { readonly text: string });

/**
 * The archive. `folder` is a name that nothing has yet; it holds the files that are made for the bundle until the stream
 * has ended. The others are packed from where they lie: not every disk has links to them. Rejects with a file error before
 * anything was sent. Where the stream is destroyed before its end, the file that it was at is read on: the packer knows no
 * other way to close it.
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
      // One after another: none but the one that is packed is open.
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
  // The stream hears of one only while it waits for more.
  pack.on('error', (error) => stream.destroy(error as Error));
  stream.once('close', () => pack.on('error', clear).on('end', clear).resume());
  return stream;
}

/** Writes it under its name below the folder. */
async function madeFile(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** As the packer says a path, on every system with '/'. */
const asPacked = (path: string): string => resolve(path).split(sep).join('/');
