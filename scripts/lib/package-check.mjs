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
  // What the bundled packages' licences ask for.
  'dist/electron/licenses.md',
  'dist/host/licenses.md',
  'dist/renderer/licenses.md',
];

/** Folders that must hold at least one file. */
const requiredFolders = ['assets/examples/', 'assets/profiles/', 'dist/renderer/assets/'];

const allowed = /^(package\.json|LICENSE|dist\/(electron|host|renderer)\/|assets\/(?!icons\/)[a-z]+\/|native\/build\/)/;

const forbidden = [
  ['node_modules', /(^|\/)node_modules\//],
  ['a source', /\.(ts|tsx|cts|mts|cu|cpp|cc|h|hpp)$/],
  ['a source map', /\.map$/],
  ['a test', /(^|\/)(test|tests|__tests__)\/|\.(test|spec)\./],
  ['a secret or a local setting', /(^|\/)(\.env.*|\.npmrc|\.git.*|id_[a-z0-9]+|.*\.(pem|key|p12|pfx))$/],
];

const secretText = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\bnpm_[A-Za-z0-9]{36}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b/;

/**
 * Everything wrong with a package, a sentence each; empty where nothing is.
 * `files`: packed paths with "/" between; `unpacked`: those of them outside the archive; `texts`: [path, content] of
 * the packed text files; `fuses`: name to whether it is on; `assets`: the asset files that the clone has;
 * `localPaths`: folders of this machine; `hasAddon`: whether the clone has the addon built.
 */
export function packageProblems({ files, unpacked, texts, fuses, assets, localPaths, hasAddon }) {
  const problems = [];
  for (const file of [...required, ...assets]) if (!files.includes(file)) problems.push(`${file} is missing.`);
  for (const folder of requiredFolders) {
    if (!files.some((file) => file.startsWith(folder))) problems.push(`${folder} holds nothing.`);
  }
  for (const file of files) {
    if (!allowed.test(file)) problems.push(`${file} does not belong in a package.`);
    for (const [what, pattern] of forbidden) if (pattern.test(file)) problems.push(`${file} is ${what}.`);
  }
  problems.push(
    ...addonProblems(files, unpacked, hasAddon),
    ...textProblems(texts, localPaths),
    ...fuseProblems(fuses),
  );
  return problems;
}

function addonProblems(files, unpacked, hasAddon) {
  const addons = files.filter((file) => file.endsWith('.node'));
  if (hasAddon && addons.length === 0) return ['The native addon was built but is not packed.'];
  return addons
    .filter((file) => !unpacked.includes(file))
    .map((file) => `${file} is inside the archive: it can't be loaded.`);
}

function textProblems(texts, localPaths) {
  return texts.flatMap(([file, text]) => [
    ...(secretText.test(text) ? [`${file} holds what looks like a secret.`] : []),
    ...localPaths
      .filter((path) => text.includes(path))
      .map((path) => `${file} names a folder of this machine (${path}).`),
  ]);
}

/** On: only the archive is loaded, cookies are encrypted. Off: everything that lets others run code in the app. */
const wantedFuses = {
  RunAsNode: false,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableCookieEncryption: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
};

function fuseProblems(fuses) {
  return Object.entries(wantedFuses)
    .filter(([name, on]) => fuses[name] !== on)
    .map(([name, on]) => `Fuse ${name} should be ${on ? 'on' : 'off'}.`);
}
