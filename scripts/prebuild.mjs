/**
 * `npm run package:native` takes what `npm run build:native` built into native/prebuilds, where packages take it from.
 * `npm run package:native -- --arm64` builds for Linux on 64-bit Arm first, with Debian's cross compiler and without the CUDA engine,
 * which wants a CUDA toolkit for that processor.
 */
import { spawnSync } from 'node:child_process';
import { inRoot, root, runMain } from './lib/paths.mjs';
import { prebuild, prebuiltFiles } from './lib/prebuilds.mjs';
import { crossCompiler, installCommands } from './lib/system.mjs';

const cross = { built: 'native/build-arm64/Release', name: 'linux-arm64', strip: 'aarch64-linux-gnu-strip' };

function buildForArm() {
  if (!crossCompiler.met())
    throw new Error(`There is no ${crossCompiler.name}: ${installCommands([crossCompiler]).join('; ')}`);
  const cmakeJs = inRoot('node_modules/cmake-js/bin/cmake-js');
  const folders = ['-d', inRoot('native'), '-O', inRoot('native/build-arm64'), '--config', 'Release'];
  const toolchain = `--CDCMAKE_TOOLCHAIN_FILE=${inRoot('native/cmake/linux-arm64.cmake')}`;
  for (const step of [
    ['configure', '--CDCOPYSCOPE_CUDA=OFF', toolchain],
    ['build', '--parallel', '4'],
  ]) {
    const { status } = spawnSync(process.execPath, [cmakeJs, ...step, ...folders], { cwd: root, stdio: 'inherit' });
    if (status !== 0) throw new Error('The addon for 64-bit Arm could not be built.');
  }
}

await runMain(() => {
  const chosen = process.argv.includes('--arm64') ? cross : {};
  if (chosen === cross) buildForArm();
  prebuild(chosen);
  const files = prebuiltFiles(chosen.name);
  if (files.length === 0) throw new Error('There is no addon. Build it: npm run build:native');
  for (const file of files) console.log(file);
});
