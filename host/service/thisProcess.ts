/**
 * Names that say which process they belong to. Several processes may share one data folder: each clears away only what
 * those that have ended left behind, however they ended. A home may be that of many machines and containers: a number says
 * nothing of another one's processes.
 */
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';

/** Of this process and no other: where processes are numbered anew, as in a container, the next one has the same number. */
const session = randomUUID().slice(0, 8);

/** Where processes are numbered as this one is. */
const node = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 8);

/** Containers may have one name. Only Linux has such a thing. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** As `712-0f3a9c1e-5b2d8c47-9e1f0a2b`. Nothing else has it. */
export const ownName = (): string => `${process.pid}-${session}-${randomUUID().slice(0, 8)}-${node}`;

/** Of earlier versions they say no node. */
const pattern = /(?:^|\.)(\d+)-([0-9a-f]{8})(?:-[0-9a-f]{8}(?:-([0-9a-f]{8}))?)?(?:\.tmp)?$/;

/** What is in progress for longer is written to. */
const oldMs = 24 * 3_600_000;

/**
 * Whether what lies there has such a name, also as the end of a longer one, of a process that has ended. Of one of another
 * node that can't be known: what it has changed within a day is taken for its own.
 */
export function isLeftBehind(path: string): boolean {
  const [, number = '', itsSession = '', itsNode = node] = pattern.exec(basename(path)) ?? [];
  if (number === '') return false;
  if (itsNode !== node) return Date.now() - lastChange(path) > oldMs;
  const pid = Number(number);
  return pid === process.pid ? itsSession !== session : !isAlive(pid);
}

/** Of the file, or of the folder and all that is in it. What goes meanwhile is in progress. */
function lastChange(path: string): number {
  try {
    const found = lstatSync(path);
    const within = found.isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
    return within.reduce((last, name) => Math.max(last, lstatSync(join(path, name)).mtimeMs), found.mtimeMs);
  } catch {
    return Date.now();
  }
}

/** Whether there is a process of this number, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
