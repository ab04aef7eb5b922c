/** A package's addon and copy engine load on systems older than the one that they were built on. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addonCandidates } from '../../native/addon.ts';
import { isThere } from './built.ts';

const addon = addonCandidates({}, new URL('../../native/addon.ts', import.meta.url).pathname).find(existsSync);

const libraries = [addon, join(dirname(addon ?? ''), 'libcopyscope_copy.so')].filter(
  (path) => path !== undefined && existsSync(path),
);

function reasonToSkip(): string | null {
  if (process.platform !== 'linux') return 'glibc is of Linux';
  if (addon === undefined) return 'the addon is not built';
  return isThere('objdump') ? null : "there is no objdump, which reads the addon's symbols";
}
const reason = reasonToSkip();

/** Version of Ubuntu 22.04 and RHEL 9 (clusters), which moved libpthread and libdl into libc. */
const oldest = 34;

describe.skipIf(reason !== null)(`Needs of the addon${reason === null ? '' : ` (${reason})`}`, () => {
  it.each(libraries)('%s needs nothing newer than glibc 2.34, and no C++ runtime', (path) => {
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const;
    const { stdout } = spawnSync('objdump', ['-p', '-T', path ?? ''], options);
    const versions = [...stdout.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(versions.length).toBeGreaterThan(20);
    expect(Math.max(...versions)).toBeLessThanOrEqual(oldest);
    const needed = [...stdout.matchAll(/NEEDED\s+(\S+)/g)].map(([, name]) => name);
    expect(needed).toContain('libc.so.6');
    expect(needed.filter((name) => /stdc\+\+|cuda|cupti/.test(name ?? ''))).toEqual([]);
  });
});
