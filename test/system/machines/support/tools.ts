/** A PATH that has what every machine must have, and no Node. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../../../scripts/lib/system.mjs';

/** All that a machine must have. */
const toolsThere = 'sh tar gzip uname sed head df awk mkdir mv rm dirname basename cat'.split(' ');

export function linkTools(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of toolsThere) symlinkSync(findProgram(name) ?? '', join(folder, name));
}

/** It is looked for there too, whatever the PATH says. Null where this machine can play one that has no Node. */
export const alwaysNode = existsSync('/usr/local/bin/node') ? 'there is a Node in /usr/local/bin' : null;
