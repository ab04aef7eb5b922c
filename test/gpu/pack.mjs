// Packs the files for a machine with a GPU and without Node or npm into dist/gpu: this Node's binary and the bundled
// tests. The addon (native/build/Release) and the bundled host (dist/host) are copied unchanged. See run.sh.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { bundle } from '../support/bundle.mjs';

const target = join(root, 'dist/gpu');
const node = join(target, 'node.xz');

const tests = [
  ...readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts')),
  'soak.ts',
  'sanitize.ts',
].map((file) => join(root, 'test/gpu', file));
const benchmarks = [
  ...readdirSync(join(root, 'bench/gpu')).filter((file) => file.endsWith('.ts')),
  'corpus/writeCorpus.ts',
  'blind/recordBlind.ts',
  'code/codeRuns.ts',
  'code/compilePrograms.ts',
  'code/libraryRuns.ts',
].map((file) => join(root, 'bench/gpu', file));
const input = Object.fromEntries([...tests, ...benchmarks].map((file) => [basename(file, '.ts'), file]));

for (const file of existing(target)) if (file.endsWith('.js')) rmSync(join(target, file));
await bundle(input, target);
if (!existing(target).includes('node.xz')) {
  mkdirSync(target, { recursive: true });
  execFileSync('sh', ['-c', `xz -T2 -c "${process.execPath}" > "${node}"`]);
}
console.log(
  `packed ${tests.length} tests and ${benchmarks.length} benchmarks and Node ${process.version} into dist/gpu`,
);
for (const part of ['dist/gpu', 'dist/host', 'native/build/Release']) console.log(part, `${megabytes(part)} MB`);

function existing(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function megabytes(folder) {
  const bytes = existing(join(root, folder)).reduce((sum, file) => sum + statSync(join(root, folder, file)).size, 0);
  return (bytes / 1e6).toFixed(1);
}
