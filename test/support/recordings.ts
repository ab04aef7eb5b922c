/**
 * Recorded runs, a set of them in each `.tar.gz` of test/fixtures. A set is named by its path without that ending; where
 * there is no such archive, the name is that of a folder of `.arrow` files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, list } from 'tar';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';

const archiveOf = (set: string): string => `${set}.tar.gz`;
const ending = /\.arrow$/;

export const hasRecordings = (set: string): boolean => existsSync(archiveOf(set)) || existsSync(set);

/** The bytes of each run by its id, which is its path in the set without `.arrow`, sorted by that. */
export function recordings(set: string): Map<string, Uint8Array> {
  const files = existsSync(archiveOf(set)) ? unpacked(archiveOf(set)) : readFolder(set);
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, bytes]) => [path.replace(ending, ''), bytes]));
}

/** Throws where the set has no run of that id. */
export function readRecording(set: string, id: string): Run {
  const bytes = recordings(set).get(id);
  if (bytes === undefined) throw new Error(`${set} has no run ${id}`);
  return decodeRun(bytes);
}

/** Packs the `.arrow` files of a folder as a set: the same files always give the same archive. */
export function packRecordings(folder: string, set: string): void {
  const files = arrowFiles(folder).sort();
  create({ sync: true, file: archiveOf(set), cwd: folder, gzip: { level: 9 }, portable: true, noMtime: true }, files);
}

function arrowFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => ending.test(file));
}

function readFolder(folder: string): [string, Uint8Array][] {
  return arrowFiles(folder).map((file) => [file, readFileSync(join(folder, file))]);
}

function unpacked(file: string): [string, Uint8Array][] {
  const files: [string, Buffer[]][] = [];
  list({
    sync: true,
    file,
    onReadEntry: (entry) => {
      const parts: Buffer[] = [];
      files.push([entry.path, parts]);
      entry.on('data', (part) => parts.push(part));
    },
  });
  return files.map(([path, parts]) => [path, Buffer.concat(parts)]);
}
