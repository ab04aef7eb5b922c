/**
 * `npm start`: builds whatever is out of date and opens the window. Without Electron or a display, serves the same window to
 * the browser.
 *
 *   npm start [-- --browser FILE …]
 */
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { findElectron, hasDisplay, missingLibraries, provideElectron } from './lib/electron-binary.mjs';
import { hasEveryEngine, nativeSummary } from './lib/native-summary.mjs';
import { inRoot, root, runMain } from './lib/paths.mjs';
import { installCommands } from './lib/system.mjs';

const say = (text) => console.error(text);
const args = process.argv.slice(2);
const wantsBrowser = args.includes('--browser');
const files = args.filter((arg) => arg !== '--browser');

/** Debian 13 and Ubuntu 24.04 renamed it for 64-bit times. */
function debianAlsa() {
  return spawnSync('apt-cache', ['show', 'libasound2t64'], { stdio: 'ignore' }).status === 0
    ? 'libasound2t64'
    : 'libasound2';
}

/** Libraries that Electron needs on a system without a desktop. */
const desktopLibraries = () => ({
  name: "Electron's libraries",
  packages: {
    'apt-get': ['libgtk-3-0', 'libnss3', debianAlsa(), 'libgbm1', 'libxss1', 'libsecret-1-0'],
    dnf: ['gtk3', 'nss', 'alsa-lib', 'mesa-libgbm', 'libXScrnSaver', 'libsecret'],
    pacman: ['gtk3', 'nss', 'alsa-lib', 'mesa', 'libxss', 'libsecret'],
  },
});

/** The Electron program, or why the browser is used instead. */
async function chooseElectron() {
  if (wantsBrowser) return { reason: 'as asked for with --browser' };
  if (!hasDisplay()) return { reason: 'there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)' };
  const electron = findElectron() ?? (await provideElectron(say));
  if (electron === null) return { reason: 'Electron is not installed and could not be downloaded' };
  const missing = missingLibraries(electron);
  if (missing.length === 0) return { electron };
  const remedy = installCommands([desktopLibraries()]).join('; ');
  return { reason: `Electron lacks ${missing.join(', ')}. To get them: ${remedy}` };
}

function run(program, programArgs) {
  const child = spawn(program, programArgs, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}

/** An Electron that ends this soon with an error has shown no window. */
const startMs = 5000;

async function openElectron(electron) {
  await ensureBuilt(['renderer', 'host', 'electron']);
  const isRoot = process.getuid?.() === 0;
  // Chromium refuses to start as root unless its own sandbox is off.
  if (isRoot) say("Running as root: Chromium's process sandbox is off. Start it as an ordinary user to have it.");
  const started = performance.now();
  const { code, signal } = await run(electron, [
    ...(isRoot ? ['--no-sandbox'] : []),
    root,
    ...files.map((file) => resolve(file)),
  ]);
  if (code === 0 || performance.now() - started > startMs || ['SIGINT', 'SIGTERM'].includes(signal)) return code ?? 1;
  if (signal === 'SIGTRAP') explainSandbox(join(dirname(electron), 'chrome-sandbox'));
  return serve(`Electron could not start (${signal ?? `exit code ${code}`})`);
}

function explainSandbox(helper) {
  say("Electron's sandbox could not start. Allow unprivileged user namespaces, or run:");
  say(`  sudo chown root:root ${helper}`);
  say(`  sudo chmod 4755 ${helper}`);
}

async function serve(reason) {
  await ensureBuilt(['renderer', 'host']);
  say(`Serving the window to your browser: ${reason}.`);
  const { code } = await run(process.execPath, [
    inRoot('dist/host/cli.js'),
    'serve',
    ...(hasDisplay() ? ['--open'] : []),
    ...files.map((file) => resolve(file)),
  ]);
  return code ?? 0;
}

await runMain(async () => {
  if (!hasEveryEngine()) say(nativeSummary().join('\n'));
  const { electron, reason } = await chooseElectron();
  return electron === undefined ? serve(reason) : openElectron(electron);
});
