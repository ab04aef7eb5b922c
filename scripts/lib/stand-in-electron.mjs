/**
 * Folders that electron-builder takes for an Electron of a system, so that everything it does to one can be looked at where
 * Electron itself can't be downloaded. Their programs hold nothing but what is changed in them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importFromBuilder } from './builder.mjs';

/** The fuse wire: a sentinel, the wire's version, the number of fuses and a byte each ("r" is removed, "0" off, "1" on). */
function fuseWire() {
  const fuseCount = 8;
  return Buffer.from(
    ['dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX', '\x01', String.fromCharCode(fuseCount), '1'.repeat(fuseCount)].join(''),
  );
}

/** Writes the stand-in of `system` (Node's name of it) below `folder`. */
export async function writeStandIn(folder, system) {
  for (const [file, content, mode] of await filesOf(system)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content, { mode });
  }
}

const program = 0o755;
const plain = 0o644;

async function filesOf(system) {
  if (system === 'darwin') return [...macFiles(), ['LICENSE', '', plain], ['LICENSES.chromium.html', '', plain]];
  const executable =
    system === 'win32' ? ['electron.exe', await windowsProgram(), program] : ['electron', fuseWire(), program];
  const others = ['LICENSE', 'LICENSES.chromium.html', 'locales/en-US.pak'];
  return [executable, ...others.map((file) => [file, '', plain])];
}

/** An executable without code, which has what every .exe has a place for: a version, to which the archive's hash is added. */
async function windowsProgram() {
  const { NtExecutable, NtExecutableResource, Resource } = await importFromBuilder('resedit');
  const executable = NtExecutable.createEmpty(false, false);
  const resources = NtExecutableResource.from(executable);
  const version = Resource.VersionInfo.createEmpty();
  const language = { lang: 1033, codepage: 1200 };
  version.setStringValues(language, { FileDescription: 'Electron', ProductName: 'Electron' });
  version.setFileVersion(1, 0, 0, 0, language.lang);
  version.outputToResourceEntries(resources.entries);
  resources.outputResource(executable);
  return Buffer.concat([Buffer.from(executable.generate()), fuseWire()]);
}

const helpers = ['', ' (GPU)', ' (Plugin)', ' (Renderer)'].map((kind) => `Electron Helper${kind}`);

function macFiles() {
  const contents = 'Electron.app/Contents';
  return [
    ...macProgram('Electron.app', 'Electron'),
    ...helpers.flatMap((name) => macProgram(`${contents}/Frameworks/${name}.app`, name)),
    [`${contents}/Frameworks/Electron Framework.framework/Electron Framework`, fuseWire(), program],
    [`${contents}/Resources/electron.icns`, '', plain],
  ];
}

const macProgram = (app, name) => [
  [`${app}/Contents/MacOS/${name}`, '', program],
  [`${app}/Contents/Info.plist`, propertyList(name), plain],
];

const propertyList = (name) => `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleExecutable</key><string>${name}</string>
<key>CFBundleIdentifier</key><string>com.github.Electron</string>
<key>CFBundleName</key><string>${name}</string>
</dict></plist>
`;
