/** What a process of another node has in progress, or left behind when it ended. */
import { utimesSync } from 'node:fs';
import { ownName } from '../../../../host/service/thisProcess.ts';

/** A name of such a process; of that number there is none here. */
export const nameElsewhere = (): string =>
  ownName()
    .replace(/^\d+/, '4194305')
    .replace(/[0-9a-f]{8}$/, '0123abcd');

/** As when it was last changed more than a day ago. */
export function age(...paths: readonly string[]): void {
  const at = new Date(Date.now() - 25 * 3_600_000);
  for (const path of paths) utimesSync(path, at, at);
}
