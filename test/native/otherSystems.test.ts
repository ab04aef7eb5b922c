/** The engine's sources compile for Windows. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThere } from './built.ts';

const folder = join(import.meta.dirname, '../../native/src');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(h|cpp)$/.test(name));

const compiler = 'x86_64-w64-mingw32-g++-posix';
const reason = isThere(compiler) ? null : `there is no ${compiler} (g++-mingw-w64-x86-64-posix)`;
/** Sources that need CUDA's headers. */
const ofCuda = /^(cuda|bench)\/(?!dynamic_library)|^cupti\/cupti_/;

describe.skipIf(reason !== null)(`A compiler for Windows${reason === null ? '' : ` (${reason})`}`, () => {
  it('takes every source of the engine and the addon', () => {
    const sources = files.filter((name) => name.endsWith('.cpp') && !ofCuda.test(name.replaceAll('\\', '/')));
    expect(sources.length).toBeGreaterThan(50);
    const headers = ['native/src', 'node_modules/node-addon-api', 'node_modules/node-api-headers/include'];
    const options = ['-std=c++17', '-fsyntax-only', ...headers.map((one) => `-I${one}`)];
    const defined = ['-DNAPI_VERSION=8', '-DNAPI_CPP_EXCEPTIONS'];
    const paths = sources.map((name) => `native/src/${name.replaceAll('\\', '/')}`);
    const { status, stderr } = spawnSync(compiler, [...options, ...defined, ...paths], { encoding: 'utf8' });
    expect(stderr.split('\n').filter((line) => line.includes('error'))).toEqual([]);
    expect(status).toBe(0);
  }, 900_000);
});
