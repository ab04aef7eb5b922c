/** The Electron program that `npm start` opens: the npm package holds none, so it is downloaded once, at first use. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';

const { env, platform } = process;
const executables = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' };
const downloadMinutes = 10;

/** Path of the Electron program, or null. ELECTRON_OVERRIDE_DIST_PATH names another folder than electron's own. */
export function findElectron() {
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH ?? inRoot('node_modules/electron/dist');
  const path = join(folder, executables[platform] ?? 'electron');
  return existsSync(path) ? path : null;
}

/** Downloads Electron where its server can be reached; returns its path, or null. An override is never filled. */
export async function provideElectron(say) {
  const found = findElectron();
  if (found !== null || env.ELECTRON_OVERRIDE_DIST_PATH !== undefined || env.ELECTRON_SKIP_BINARY_DOWNLOAD)
    return found;
  if (!(await canReachServer())) return null;
  say('Downloading Electron, once …');
  await new Promise((resolve) => {
    const child = spawn(process.execPath, [inRoot('node_modules/electron/install.js')], { stdio: 'ignore' });
    const timer = setTimeout(() => child.kill(), downloadMinutes * 60_000);
    child.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return findElectron();
}

/** A proxy is believed to work; otherwise the server has three seconds to take a connection. */
function canReachServer() {
  if (env.HTTPS_PROXY ?? env.https_proxy ?? env.ELECTRON_GET_USE_PROXY) return true;
  const mirror = env.ELECTRON_MIRROR ?? env.npm_config_electron_mirror ?? 'https://github.com/';
  const { hostname, port, protocol } = new URL(mirror);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || (protocol === 'http:' ? 80 : 443)) });
    const finish = (reached) => {
      socket.destroy();
      resolve(reached);
    };
    socket.setTimeout(3000, () => finish(false));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

/** Whether a window can be shown. */
export function hasDisplay() {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Shared libraries that Electron wants and this Linux lacks. */
export function missingLibraries(electron) {
  if (platform !== 'linux') return [];
  const listed = spawnSync('ldd', [electron], { encoding: 'utf8' });
  return [...(listed.stdout ?? '').matchAll(/^\s*(\S+) => not found$/gm)].map((match) => match[1]);
}
