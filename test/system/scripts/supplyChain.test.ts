/** Third-party packages: versions, licences, and install scripts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { licencesText } from '../../../scripts/lib/licences.mjs';

interface Locked {
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');

/** Licences of packed packages: those that require no more than a notice. */
const bundled = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|\(?MIT OR [\w.-]+\)?)$/;
/** Licences of packages for building and testing, whose code isn't distributed. */
const used =
  /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|MPL-2\.0|Python-2\.0|WTFPL|\(?[\w.-]+( OR [\w.-]+)+\)?)$/;

describe('npm packages', () => {
  it('are of one version each, and are what they were', () => {
    expect(manifest.dependencies).toBeUndefined();
    for (const version of Object.values(manifest.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(locked.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  });

  it('run nothing when they are installed, but for those that are known to', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    // Part of electron-builder, for Windows only: it chooses one of two unpackers.
    expect(scripts).toEqual(['node_modules/electron-winstaller']);
  });

  it('have licences that allow what is done with them', () => {
    expect(locked.filter(([, { license }]) => !used.test(license ?? ''))).toEqual([]);
  });
});

describe('the contents of a package', () => {
  const parts = ['electron', 'host', 'renderer'].map((part) => `dist/${part}/licenses.md`);
  // A test of another file may be building them.
  beforeAll(() => void execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'pipe' }));

  it('is named with its licence, which asks for no more', () => {
    for (const part of parts) {
      const licences = [...readFileSync(part, 'utf8').matchAll(/^## .+ - [\d.]+ \((.+)\)$/gm)].map(
        ([, licence]) => licence,
      );
      expect(licences.length, part).toBeGreaterThan(5);
      for (const licence of licences) expect(licence, part).toMatch(bundled);
    }
  });

  it('stands on one page, each once', () => {
    const titles = [...licencesText().matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const part of parts)
      for (const [, title] of readFileSync(part, 'utf8').matchAll(/^## (.+)$/gm)) expect(titles).toContain(title);
  });
});
