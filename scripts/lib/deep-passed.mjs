/** Whether `npm run test:deep` has passed in full with the sources as they are: their hash is in test/deep-passed.json. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';

const file = inRoot('test/deep-passed.json');
/** What the sanitizers compile, and what reads files of others. */
const sources = ['native', 'core/import', 'core/shape', 'core/trace', 'host/service/imports', 'host/service/bundle'];
const isBuilt = /^(build|build-.*|prebuilds|node_modules)$/;

function* filesBelow(path) {
  const entries = readdirSync(inRoot(path), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile()) yield join(path, entry.name);
    else if (!isBuilt.test(entry.name)) yield* filesBelow(join(path, entry.name));
  }
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const source of sources)
    for (const path of filesBelow(source)) hash.update(`${path}\n`).update(readFileSync(inRoot(path)));
  return hash.digest('hex');
}

export const deepHasPassed = () =>
  existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).sources === hashOfSources();

export const keepDeepPassed = () => writeFileSync(file, `${JSON.stringify({ sources: hashOfSources() }, null, 2)}\n`);
