/** Archives of whatever a test likes, and what is in one. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { create, extract } from 'tar';

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Archived {
  readonly files: Files;
  readonly links?: Readonly<Record<string, string>>;
  readonly order?: readonly string[];
}

/** A gzipped tar archive; `folder` is a name that nothing has. */
export async function archiveOf(folder: string, { files, links = {}, order = Object.keys(files) }: Archived) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(target, join(folder, name));
  }
  const parts: Buffer[] = [];
  const names = [...order, ...Object.keys(links)];
  const pack = create({ cwd: folder, gzip: true, portable: true, preservePaths: true }, names);
  for await (const part of pack as unknown as AsyncIterable<Buffer>) parts.push(part);
  return new Uint8Array(Buffer.concat(parts));
}

/** The files in an archive, in no order; `folder` is a name that nothing has, before and after. */
export async function filesOf(folder: string, archive: Uint8Array): Promise<Record<string, Buffer>> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'archive'), archive);
  await extract({ cwd: folder, file: join(folder, 'archive') });
  rmSync(join(folder, 'archive'));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const files = Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path)]));
  rmSync(folder, { recursive: true });
  return files;
}
