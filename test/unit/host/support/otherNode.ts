/** Names and files of a process on another node, in progress or left after its end. */
import { utimesSync } from 'node:fs';
import { ownName } from '../../../../host/files/thisProcess.ts';

/** Returns a name of such a process; no process here has its number. */
export const nameElsewhere = (): string =>
  ownName()
    .replace(/^\d+/, '4194305')
    .replace(/[0-9a-f]{8}$/, '0123abcd');

/** Sets the last change to more than a day ago. */
export function age(...paths: readonly string[]): void {
  const at = new Date(Date.now() - 25 * 3_600_000);
  for (const path of paths) utimesSync(path, at, at);
}
