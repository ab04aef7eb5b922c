/**
 * `npm run package:npm [-- FOLDER]` makes copyscope-VERSION.tgz, in release/ or in FOLDER: what `npm install -g copyscope`
 * installs. It holds what runs and no dependency, with the addon compiled for every system that native/prebuilds has, and
 * installing it runs nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { inRoot, runMain } from './lib/paths.mjs';
import { prebuild } from './lib/prebuilds.mjs';
import { stageProgram } from './lib/program-files.mjs';

/** npm's own pack: it leaves out what no package may have, and sets times and modes that are always the same. */
function pack(folder, into) {
  const options = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', into];
  const { status, stdout, stderr } = spawnSync('npm', options, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  return JSON.parse(stdout)[0];
}

await runMain(async () => {
  await ensureBuilt(['renderer', 'host']);
  prebuild();
  const into = resolve(process.argv[2] ?? inRoot('release'));
  mkdirSync(into, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-npm-'));
  try {
    stageProgram(folder, 'native/prebuilds');
    const { filename, size, entryCount } = pack(folder, into);
    console.log(`${join(into, filename)}: ${entryCount} files, ${(size / 1e6).toFixed(1)} MB`);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
