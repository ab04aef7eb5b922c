/**
 * Temporary folders that don't outlive this process: they are deleted after use, at Ctrl-C, or after a kill when the
 * next one is made.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { copyFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { privately } from './files.ts';
import { isLeftBehind, ownName } from './thisProcess.ts';

export interface TemporaryFolder {
  readonly path: string;
  /** Fires at Ctrl-C, when the folder is deleted: writers there must stop. */
  readonly signal: AbortSignal;
  remove(): Promise<void>;
}

/** Makes an empty, private folder. */
export function temporaryFolder(): TemporaryFolder {
  const path = lastingFolder();
  const ending = new AbortController();
  opened.set(path, ending);
  listen();
  return {
    path,
    signal: ending.signal,
    remove: async () => {
      opened.delete(path);
      unlisten();
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Returns the path of a folder that stays at Ctrl-C, for data that is kept then. The caller removes it. */
export function lastingFolder(): string {
  clearLeftBehind();
  const path = join(tmpdir(), prefix + ownName());
  mkdirSync(path, { mode: privately.folder });
  return path;
}

/** Calls `use` with a temporary folder, which is deleted when `use` has ended. */
export async function inTemporaryFolder<Result>(use: (folder: TemporaryFolder) => Promise<Result>): Promise<Result> {
  const folder = temporaryFolder();
  try {
    return await use(folder);
  } finally {
    await folder.remove();
  }
}

const prefix = 'copyscope.';

function clearLeftBehind(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name);
    if (!name.startsWith(prefix) || !isLeftBehind(path)) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The folder belongs to another user.
    }
  }
}

const opened = new Map<string, AbortController>();
const signals = ['SIGINT', 'SIGTERM'] as const;

function listen(): void {
  if (opened.size === 1) for (const signal of signals) process.on(signal, removeAll);
}

function unlisten(): void {
  if (opened.size === 0) for (const signal of signals) process.off(signal, removeAll);
}

/** Deletes all folders. If nothing else handles the signal, it then ends the process, as it would without folders. */
function removeAll(signal: NodeJS.Signals): void {
  for (const ending of opened.values()) ending.abort();
  for (const path of opened.keys()) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  opened.clear();
  unlisten();
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/**
 * Calls `use` with a path at which the file of `path` is named `name`; other files written there are deleted. The file
 * itself stays unchanged, and is only copied if the system makes no links.
 */
export async function inPrivateFolder<Result>(
  path: string,
  name: string,
  use: (place: string, folder: TemporaryFolder) => Promise<Result>,
): Promise<Result> {
  return inTemporaryFolder(async (folder) => {
    const place = join(folder.path, name);
    await symlink(resolve(path), place).catch(() => copyFile(path, place));
    return use(place, folder);
  });
}
