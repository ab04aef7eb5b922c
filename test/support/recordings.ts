/**
 * Sets of recorded runs, one in each `.tar.gz` of test/fixtures. A set's name is its path without that ending; without
 * such an archive it is the path of a folder of `.arrow` files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, list } from 'tar';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';

const archiveOf = (set: string): string => `${set}.tar.gz`;
const ending = /\.arrow$/;

export const hasRecordings = (set: string): boolean => existsSync(archiveOf(set)) || existsSync(set);

/** Returns the bytes of each run by its id, the sorted path in the set without `.arrow`. */
export function recordings(set: string): Map<string, Uint8Array> {
  const files = existsSync(archiveOf(set)) ? unpacked(archiveOf(set)) : readFolder(set);
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, bytes]) => [path.replace(ending, ''), bytes]));
}

/** Returns a run of a set. Throws if the set has no run of that id. */
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
