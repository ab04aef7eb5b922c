// Bundles the fuzzer and runs it: node test/fuzz/run.mjs [--minutes N] [--seed S] [--kind K [--number N]].
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { bundle } from '../support/bundle.mjs';

const target = join(root, 'dist/fuzz');
const source = (name) => join(import.meta.dirname, name);
await bundle({ main: source('main.ts'), worker: source('worker.ts') }, target);
const { status } = spawnSync(process.execPath, [join(target, 'main.js'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
