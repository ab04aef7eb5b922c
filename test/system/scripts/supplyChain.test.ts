/** What comes from others: which versions, under which licences, and what of it runs by itself. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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

/** Of what is packed: those that ask for no more than to be named. */
const bundled = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|\(?MIT OR [\w.-]+\)?)$/;
/** Of what only builds and tests: of these no line is passed on. */
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
    // Part of electron-builder, and used on Windows alone: it picks one of two unpackers.
    expect(scripts).toEqual(['node_modules/electron-winstaller']);
  });

  it('have licences that allow what is done with them', () => {
    expect(locked.filter(([, { license }]) => !used.test(license ?? ''))).toEqual([]);
  });
});

describe('what is bundled in a package', () => {
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

describe('what is compiled in', () => {
  /** Of the language and of the systems. Anything else is of others, and stands on the page of licences. */
  const own =
    /^(c?[a-z_0-9]+|(windows|unistd|dlfcn|pthread|link|unwind|fcntl|signal|sched|cxxabi|[a-z]mmintrin|sys\/\w+)\.h)$/;
  const known: Readonly<Record<string, string>> = {
    'napi.h': 'node-addon-api',
    'cuda_runtime_api.h': 'NVIDIA CUDA runtime',
    'library_types.h': 'NVIDIA CUDA runtime',
    'cupti.h': 'NVIDIA CUDA runtime',
    'nvtx3/nvToolsExt.h': 'NVTX',
  };

  it('is named with its licence', () => {
    const sources = ['native/src', 'native/record'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(h|cpp|cu)$/.test(name))
        .map((name) => readFileSync(`${folder}/${name}`, 'utf8')),
    );
    const included = new Set(
      sources.flatMap((text) => [...text.matchAll(/^#include <(.+)>$/gm)].map(([, name = '']) => name)),
    );
    const others = [...included].filter((name) => !own.test(name)).sort();
    expect(others).toEqual(Object.keys(known).sort());
    for (const name of others) expect(licencesText()).toContain(`## ${known[name]}`);
  });
});
