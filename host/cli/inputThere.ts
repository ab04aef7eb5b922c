/** A file of the machine that `--host` names, read as one that lies here. */
import { createWriteStream } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CopyscopeError } from '../../core/errors.ts';
import { formatBytes } from '../../core/units.ts';
import { fileThere } from '../machines/fileThere.ts';
import { temporaryFolder } from '../service/temporaryFolder.ts';
import { type InputFile, readInputFile } from './inputFile.ts';
import type { Context } from './io.ts';
import { statusLine } from './progress.ts';

/** Rejects as readInputFile() does, and where the file can't be read there. */
export async function readInputThere(path: string, host: string | undefined, context: Context): Promise<InputFile> {
  if (host === undefined) return readInputFile(path, context);
  const { terminal, environment, signal } = context;
  const { path: folder, remove } = temporaryFolder();
  try {
    const onLost = (why: CopyscopeError): void =>
      terminal.err([`The line to ${host} was lost: ${why.message}`, 'Trying again.']);
    const { name, bytes, modifiedAt, parts } = await fileThere({ host, path, environment, signal, onLost });
    const local = join(folder, name);
    const line = statusLine(terminal);
    let done = 0;
    const counted = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const part of source) {
        done += part.byteLength;
        line.show(`Fetching ${name} from ${host}: ${formatBytes(done)} of ${formatBytes(bytes)}`);
        yield part;
      }
    };
    await pipeline(parts, counted, createWriteStream(local)).finally(line.clear);
    await utimes(local, modifiedAt, modifiedAt);
    return await readInputFile(local, context);
  } catch (thrown) {
    throw namedThere(thrown, folder, host, path);
  } finally {
    await remove();
  }
}

/** Who reads an error knows the file by its name there. */
function namedThere(thrown: unknown, folder: string, host: string, path: string): unknown {
  if (!(thrown instanceof CopyscopeError) || !thrown.message.includes(folder)) return thrown;
  const copy = new RegExp(`${folder.replace(/[^\w/-]/g, '\\$&')}/\\S*`, 'g');
  return new CopyscopeError(
    { ...thrown.toInfo(), message: thrown.message.replace(copy, () => `${host}:${path}`) },
    { cause: thrown },
  );
}
