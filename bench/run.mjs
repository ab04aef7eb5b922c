// Bundles one benchmark of this folder and runs it: node bench/run.mjs NAME [ARGUMENTS]. Never part of the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/lib/paths.mjs';
import { bundle } from '../test/support/bundle.mjs';

const [name, ...args] = process.argv.slice(2);
const source = join(import.meta.dirname, `${name}.ts`);
if (name === undefined || !existsSync(source)) {
  const names = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts'));
  console.error(
    `usage: node bench/run.mjs NAME, where NAME is one of: ${names.map((file) => file.slice(0, -3)).join(', ')}`,
  );
  process.exit(2);
}
const target = join(root, 'dist/bench');
await bundle({ [name]: source }, target);
process.exitCode = spawnSync(process.execPath, [join(target, `${name}.js`), ...args], { stdio: 'inherit' }).status ?? 1;
