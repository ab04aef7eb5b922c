/** What must be in a package, and what must not. */

const required = [
  'package.json',
  'LICENSE',
  'dist/electron/main.js',
  'dist/electron/preload.cjs',
  'dist/host/engine-process.js',
  // What is copied to other machines.
  'dist/host/machine.js',
  'dist/renderer/index.html',
  // What reads Nsight Systems' exports, and its own licence.
  'dist/host/sqlite/node-sqlite3-wasm.cjs',
  'dist/host/sqlite/node-sqlite3-wasm.wasm',
  'dist/host/sqlite/LICENSE',
  // What the bundled packages' licences ask for, and what the compiled files' do, and all in one.
  'dist/electron/licenses.md',
  'dist/host/licenses.md',
  'dist/renderer/licenses.md',
  'dist/renderer/third-party.md',
];

/** Folders that must hold at least one file. */
const requiredFolders = ['assets/examples/', 'assets/profiles/', 'dist/renderer/assets/'];

const allowed =
  /^(package\.json|LICENSE|dist\/(electron|host|renderer)\/|assets\/(?!icons\/)[a-z]+\/|native\/prebuilds\/[a-z0-9]+-[a-z0-9]+\/)/;

const forbidden = [
  ['node_modules', /(^|\/)node_modules\//],
  ['a source', /\.(ts|tsx|cts|mts|cu|cpp|cc|h|hpp)$/],
  ['a source map', /\.map$/],
  ['a test', /(^|\/)(test|tests|__tests__)\/|\.(test|spec)\./],
  ['a secret or a local setting', /(^|\/)(\.env.*|\.npmrc|\.git.*|id_[a-z0-9]+|.*\.(pem|key|p12|pfx))$/],
];

const secretText = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bnpm_[A-Za-z0-9]{36}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b/;

/**
 * Everything wrong with a packed app, a sentence each; empty where nothing is.
 * `files`: packed paths with "/" between; `unpacked`: those of them outside the archive; `texts`: [path, content] of
 * the packed text files; `fuses`: name to whether it is on; `assets`: the asset files that the clone has;
 * `localPaths`: folders of this machine; `addons`: the compiled files that the clone has for that system.
 */
export function packageProblems({ files, unpacked, texts, fuses, assets, localPaths, addons }) {
  const problems = [];
  for (const file of [...required, ...assets]) if (!files.includes(file)) problems.push(`${file} is missing.`);
  for (const folder of requiredFolders) {
    if (!files.some((file) => file.startsWith(folder))) problems.push(`${folder} holds nothing.`);
  }
  problems.push(
    ...misplaced(files, allowed),
    ...addonProblems(files, unpacked, addons),
    ...textProblems(texts, localPaths),
    ...fuseProblems(fuses),
  );
  return problems;
}

/** Files that have no business in what is given away. */
export function misplaced(files, where) {
  return files.flatMap((file) => [
    ...(where.test(file) ? [] : [`${file} does not belong in a package.`]),
    ...forbidden.filter(([, pattern]) => pattern.test(file)).map(([what]) => `${file} is ${what}.`),
  ]);
}

/** Those of the very system and no others, each where it can be loaded. */
function addonProblems(files, unpacked, addons) {
  const packed = files.filter((file) => /\.(node|so)$/.test(file));
  return [
    ...addons.filter((file) => !packed.includes(file)).map((file) => `${file} was built but is not packed.`),
    ...packed.filter((file) => !addons.includes(file)).map((file) => `${file} is of another system.`),
    ...packed
      .filter((file) => !unpacked.includes(file))
      .map((file) => `${file} is inside the archive: it can't be loaded.`),
  ];
}

export function textProblems(texts, localPaths) {
  return texts.flatMap(([file, text]) => [
    ...(secretText.test(text) ? [`${file} holds what looks like a secret.`] : []),
    ...localPaths
      .filter((path) => text.includes(path))
      .map((path) => `${file} names a folder of this machine (${path}).`),
  ]);
}

/** On: only the archive is loaded, as it was packed, and cookies are encrypted. Off: all that lets others run code in the app. */
const wantedFuses = {
  RunAsNode: false,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableCookieEncryption: true,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
};

function fuseProblems(fuses) {
  return Object.entries(wantedFuses)
    .filter(([name, on]) => fuses[name] !== on)
    .map(([name, on]) => `Fuse ${name} should be ${on ? 'on' : 'off'}.`);
}

const mimeTypes = [
  'application/vnd.copyscope.experiment+json',
  'application/vnd.copyscope.bundle+gzip',
  'application/vnd.apache.arrow.file',
];

/**
 * Everything wrong with a package for Linux. `files` and `packed` are digests by path: of what it holds, and of the app that
 * it was made of. `desktop`, `mime` and `control` are its files of these kinds; an archive has none.
 * @param {{ files: Record<string, string>, packed: Record<string, string>, desktop?: string, mime?: string, control?: string }} artifact
 * @param {boolean} isArchive
 */
export function artifactProblems({ files, packed, desktop, mime, control }, isArchive) {
  return [
    ...Object.keys(packed)
      // For Debian's package alone, and put there while the others are made.
      .filter((file) => files[file] !== packed[file] && file !== 'resources/apparmor-profile')
      .map((file) => `${file} is missing, or another.`),
    ...(isArchive ? [] : desktopProblems(desktop)),
    ...(mime === undefined || mime.includes('*.copyscope.json') ? [] : ['No file is opened by a double-click.']),
    ...(control === undefined || /^Package: copyscope$/m.test(control) ? [] : ['Its name in Debian is not copyscope.']),
  ];
}

function desktopProblems(desktop) {
  const value = (name) => new RegExp(`^${name}=(.*)$`, 'm').exec(desktop)?.[1] ?? '';
  const types = value('MimeType').split(';');
  return [
    ...mimeTypes.filter((type) => !types.includes(type)).map((type) => `The desktop file lacks ${type}.`),
    ...(/ %U$/.test(value('Exec')) ? [] : ['The desktop file hands no files over.']),
    ...(value('Exec').includes('--no-sandbox') ? ["The desktop file turns Chromium's sandbox off."] : []),
    // Electron takes it from the manifest's desktopName; else the window and its icon in the dock are two.
    ...(value('StartupWMClass') === 'copyscope' ? [] : ["The desktop file doesn't know the window."]),
  ];
}

/** Everything wrong with what a Mac's Info.plist says; `hash` is the archive's. */
export function infoProblems(info, hash) {
  const endings = (info.CFBundleDocumentTypes ?? []).flatMap(
    ({ CFBundleTypeExtensions = [] }) => CFBundleTypeExtensions,
  );
  return [
    ...['copyscope.json', 'copyscope', 'arrow']
      .filter((ending) => !endings.includes(ending))
      .map((ending) => `It opens no .${ending} files.`),
    ...integrityProblems(info.ElectronAsarIntegrity?.['Resources/app.asar']?.hash, hash),
  ];
}

export const integrityProblems = (kept, hash) => (kept === hash ? [] : ["It does not hold its archive's hash."]);
