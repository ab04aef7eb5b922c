/** What goes to another machine: only what is compiled for such a one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesFor, readBundle } from '../../../host/machines/bundle.ts';
import { readProbe } from '../../../host/machines/probe.ts';

let program: string;

const put = (path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(program, path)), { recursive: true });
  writeFileSync(join(program, path), content);
};

/** The head of a file that is compiled for this processor, by its number. */
function elf(processor: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  bytes[18] = processor;
  return bytes;
}
const [x64, arm64, riscv] = [62, 183, 243];

beforeEach(() => {
  program = mkdtempSync(join(tmpdir(), 'copyscope-bundle-'));
  put('package.json', JSON.stringify({ name: 'copyscope', version: '1.2.3' }));
  for (const name of ['machine.js', 'engine-process.js', 'licenses.md']) put(`dist/host/${name}`, name);
});
afterEach(() => rmSync(program, { recursive: true, force: true, maxRetries: 10 }));

async function compiledFor(system: string, arch: string): Promise<string[]> {
  const probe = readProbe('box', `copyscope-probe system ${system}\ncopyscope-probe arch ${arch}\n`);
  const files = filesFor(await readBundle(program), probe);
  expect(files.filter((file) => file.arch === null)).toHaveLength(3);
  return files.flatMap(({ from, arch: its }) => (its === null ? [] : from.slice(program.length + 1)));
}

it('each machine gets what a package brings for its processor, whatever this one is', async () => {
  put('native/prebuilds/linux-x64/copyscope.node', elf(x64));
  put('native/prebuilds/linux-arm64/copyscope.node', elf(arm64));
  put('native/prebuilds/linux-arm64/libcopyscope_record.so', elf(arm64));
  expect(await compiledFor('Linux', 'x86_64')).toEqual(['native/prebuilds/linux-x64/copyscope.node']);
  expect(await compiledFor('Linux', 'aarch64')).toEqual([
    'native/prebuilds/linux-arm64/copyscope.node',
    'native/prebuilds/linux-arm64/libcopyscope_record.so',
  ]);
  expect(await compiledFor('Linux', 'riscv64')).toEqual([]);
  expect(await compiledFor('Darwin', 'aarch64')).toEqual([]);
});

it('what was built here goes before what a package brings, and goes nowhere where it does not fit', async () => {
  put('native/build/Release/copyscope.node', elf(arm64));
  put('native/prebuilds/linux-arm64/copyscope.node', elf(arm64));
  expect(await compiledFor('Linux', 'x86_64')).toEqual([]);
  expect(await compiledFor('Linux', 'aarch64')).toEqual(['native/build/Release/copyscope.node']);
});

it('what is not of Linux, or of a processor that nothing is built for, stays here', async () => {
  put('native/build/Release/copyscope.node', elf(riscv));
  put('native/prebuilds/linux-x64/copyscope.node', 'MZ is how a file of Windows begins');
  expect(await compiledFor('Linux', 'x86_64')).toEqual([]);
});
