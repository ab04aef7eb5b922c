/**
 * Names that identify their process. Several processes may share one data folder: each deletes only what ended
 * processes left behind. Several machines and containers may share a home: process numbers of one mean nothing on
 * another.
 */
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';

/** Id of this process alone, since in a container the next process may have the same number. */
const session = randomUUID().slice(0, 8);

/** Id of the place in which process numbers are unique. */
const node = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 8);

/** Containers may share a host name. Only Linux has namespaces. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Returns a unique name such as `712-0f3a9c1e-5b2d8c47-9e1f0a2b`. */
export const ownName = (): string => `${process.pid}-${session}-${randomUUID().slice(0, 8)}-${node}`;

/** Names of earlier versions have no node. */
const pattern = /(?:^|\.)(\d+)-([0-9a-f]{8})(?:-[0-9a-f]{8}(?:-([0-9a-f]{8}))?)?(?:\.tmp)?$/;

/** Work in progress is written to more often than this. */
const oldMs = 24 * 3_600_000;

/**
 * Returns true if the name at this path, or its end, is that of a process that has ended. On another node that can't be
 * known, so a file changed within a day counts as in use.
 */
export function isLeftBehind(path: string): boolean {
  const [, number = '', itsSession = '', itsNode = node] = pattern.exec(basename(path)) ?? [];
  if (number === '') return false;
  if (itsNode !== node) return Date.now() - lastChange(path) > oldMs;
  const pid = Number(number);
  return pid === process.pid ? itsSession !== session : !isAlive(pid);
}

/** Returns the last change of the file, or of the folder and its content. A disappearing file counts as in use. */
function lastChange(path: string): number {
  try {
    const found = lstatSync(path);
    const within = found.isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
    return within.reduce((last, name) => Math.max(last, lstatSync(join(path, name)).mtimeMs), found.mtimeMs);
  } catch {
    return Date.now();
  }
}

/** Returns true if a process with this number exists, also of another user. */
export function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns an unused name below `parent`. Its users make the folder. */
export function processFolder(parent: string): string {
  for (const name of namesIn(parent)) {
    const path = join(parent, name);
    if (isLeftBehind(path)) rmSync(path, { recursive: true, force: true });
  }
  return join(parent, ownName());
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
