/** electron-builder, and the libraries that come with it. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { inRoot, root } from './paths.mjs';

const builder = inRoot('node_modules/electron-builder/cli.js');
// The packer of archives is a dependency of its library.
const fromBuilder = createRequire(createRequire(builder).resolve('app-builder-lib'));

export const importFromBuilder = (name) => import(pathToFileURL(fromBuilder.resolve(name)).href);

export function runBuilder(args, options) {
  return spawnSync(process.execPath, [builder, '--publish', 'never', ...args], { cwd: root, ...options });
}
