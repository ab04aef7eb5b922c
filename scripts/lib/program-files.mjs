/** The files that the packages for npm and pip hold: what runs, without dependencies, which are bundled. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';

const parts = ['LICENSE', 'README.md', 'dist/host', 'dist/renderer', 'assets'];
/** The icons are built into the page. */
const leftOut = inRoot('assets/icons');

/** Bundled code is tested on it; a clone needs what its tools need, and no tool is packed. */
const engines = { node: '>=20.19' };

/** The clone's manifest is private and has dependencies. This one is the package's. */
function manifest() {
  const { name, version, description, license, type, bin, homepage } = JSON.parse(
    readFileSync(inRoot('package.json'), 'utf8'),
  );
  return { name, version, description, license, type, bin, engines, homepage, files: ['dist', 'assets', 'native'] };
}

/** Copies them into `folder`, with the compiled files of `prebuilds`, a folder. Returns the manifest. */
export function stageProgram(folder, prebuilds) {
  for (const part of [...parts, prebuilds].filter((path) => existsSync(inRoot(path)))) {
    cpSync(inRoot(part), join(folder, part), { recursive: true, filter: (path) => path !== leftOut });
  }
  const own = manifest();
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  return own;
}
