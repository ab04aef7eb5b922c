/** Makes archives of the files and links that a test names. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create } from 'tar';

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Archived {
  readonly files: Files;
  readonly links?: Readonly<Record<string, string>>;
  readonly order?: readonly string[];
}

/** Makes a gzipped tar archive; `folder` must not exist. */
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
