/**
 * The programs that electron-builder downloads to make packages for Linux, taken from the system instead, so that a check needs no
 * network. What makes an AppImage start by itself is a stand-in: a real one comes with a real package.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';
import { findProgram } from './system.mjs';

export const architectures = ['x64', 'arm64'];

/** What makes each target out of a packed app: the programs it takes. */
const programsOf = {
  AppImage: ['mksquashfs', 'unsquashfs', 'desktop-file-validate'],
  deb: ['dpkg-deb'],
  'tar.gz': ['7za', 'tar'],
};

/** The targets that can be made here, and the others with the programs that they lack. */
export function possibleTargets() {
  const lacking = Object.entries(programsOf).map(([target, programs]) => [
    target,
    programs.filter((program) => findProgram(program) === null),
  ]);
  return {
    targets: lacking.filter(([, programs]) => programs.length === 0).map(([target]) => target),
    missing: lacking.filter(([, programs]) => programs.length > 0),
  };
}

export const runtimeWords = 'A stand-in for the runtime of an AppImage.\n';

/** Environment in which electron-builder finds them; `folder` is for what it wants to find in one. */
export function packageTools(folder) {
  const tools = join(folder, 'appimage');
  for (const arch of architectures) mkdirSync(join(tools, 'lib', arch), { recursive: true });
  mkdirSync(join(tools, 'runtimes'));
  for (const arch of architectures) writeFileSync(join(tools, 'runtimes', `runtime-${arch}`), runtimeWords);
  for (const program of ['mksquashfs', 'desktop-file-validate']) linkProgram(program, tools);
  return {
    APPIMAGE_TOOLS_PATH: tools,
    CUSTOM_FPM_PATH: inRoot('scripts/lib/stand-in-fpm.mjs'),
    ...(findProgram('7za') === null ? {} : { ELECTRON_BUILDER_7ZIP_PATH: findProgram('7za') }),
  };
}

function linkProgram(name, folder) {
  const path = findProgram(name);
  if (path !== null) symlinkSync(path, join(folder, name));
}
