/** A package's addon loads on systems older than the one that it was built on. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addonCandidates } from '../../native/addon.ts';
import { isThere } from './built.ts';

const addon = addonCandidates({}, new URL('../../native/addon.ts', import.meta.url).pathname).find(existsSync);

function reasonToSkip(): string | null {
  if (process.platform !== 'linux') return 'glibc is of Linux';
  if (addon === undefined) return 'the addon is not built';
  return isThere('objdump') ? null : "there is no objdump, which reads the addon's symbols";
}
const reason = reasonToSkip();

/** Version of Ubuntu 22.04 and RHEL 9 (clusters), which moved libpthread and libdl into libc. */
const oldest = 34;

describe.skipIf(reason !== null)(`Needs of the addon${reason === null ? '' : ` (${reason})`}`, () => {
  it('needs nothing newer than glibc 2.34, and no C++ runtime', () => {
    const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const;
    const { stdout } = spawnSync('objdump', ['-p', '-T', addon ?? ''], options);
    const versions = [...stdout.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(versions.length).toBeGreaterThan(20);
    expect(Math.max(...versions)).toBeLessThanOrEqual(oldest);
    const libraries = [...stdout.matchAll(/NEEDED\s+(\S+)/g)].map(([, name]) => name);
    expect(libraries).toContain('libc.so.6');
    expect(libraries.filter((name) => /stdc\+\+|cuda|cupti/.test(name ?? ''))).toEqual([]);
  });
});
