/**
 * The OpenSSH server for tests of remote hosts on the loopback address. The package of Debian or Ubuntu is unpacked
 * rather than installed, because installing it would open a port of this machine. Its library is unpacked with it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';
import { findProgram, mayInstall, packageManager, provide } from './system.mjs';

const folder = inRoot('build/sshd');
/** The last one gives sshd users that the system does not have: as root it wants one of its own. */
const packages = ['openssh-server', 'libwrap0', 'libnss-wrapper'];
const { env } = process;

const client = {
  name: 'the OpenSSH client',
  met: () => findProgram('ssh') !== null && findProgram('ssh-keygen') !== null,
  packages: { 'apt-get': ['openssh-client'] },
};

/**
 * Returns an sshd: COPYSCOPE_SSHD, the system's, or the unpacked one; null if there is none. `wrapper` is the library, if
 * available, that reads users from the files in NSS_WRAPPER_PASSWD and NSS_WRAPPER_GROUP.
 * @returns {{ path: string, env: Record<string, string>, options: string[], wrapper: string | null } | null}
 */
export function findSshd() {
  if (!client.met()) return null;
  const paths = [env.COPYSCOPE_SSHD, findProgram('sshd'), '/usr/sbin/sshd', join(folder, 'usr/sbin/sshd')];
  const path = paths.find((one) => typeof one === 'string' && existsSync(one));
  if (typeof path !== 'string') return null;
  const libraries = path.startsWith(folder) ? libraryFolders() : [];
  const sshd = { path, env: libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(':') } };
  // It says what it is on stderr, and does so only where all of its libraries are there.
  const { stderr } = spawnSync(path, ['-V'], { env: { ...env, ...sshd.env }, encoding: 'utf8' });
  if (!/OpenSSH/.test(stderr ?? '')) return null;
  const wrapper = libraryFolders()
    .map((lib) => join(lib, 'libnss_wrapper.so'))
    .find((library) => existsSync(library));
  return { ...sshd, options: helperOptions(path), wrapper: wrapper ?? null };
}

function libraryFolders() {
  const lib = join(folder, 'usr/lib');
  return existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name)) : [];
}

/** Newer ones are several programs, which look for one another where they were installed. */
function helperOptions(path) {
  if (!path.startsWith(folder)) return [];
  const helpers = { SshdSessionPath: 'sshd-session', SshdAuthPath: 'sshd-auth' };
  return Object.entries(helpers).flatMap(([option, name]) => {
    const helper = join(folder, 'usr/lib/openssh', name);
    return existsSync(helper) ? [`${option} ${helper}`] : [];
  });
}

/** Provides an sshd if possible; returns null if there is none. */
export function provideSshd(say) {
  provide([client], say);
  const found = findSshd();
  const lacks = found === null || (found.wrapper === null && process.getuid?.() === 0);
  if (!lacks || process.platform !== 'linux' || packageManager() !== 'apt-get') return found;
  say('Unpacking openssh-server for the tests of remote hosts …');
  mkdirSync(folder, { recursive: true });
  const download = () => execFileSync('apt-get', ['download', ...packages], { cwd: folder, stdio: 'pipe' });
  try {
    try {
      download();
    } catch {
      if (mayInstall()) updateLists();
      download();
    }
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.deb'))) {
      execFileSync('dpkg', ['-x', name, '.'], { cwd: folder, stdio: 'pipe' });
    }
  } catch (error) {
    say(
      `It could not be had: ${String(error.stderr ?? error.message)
        .trim()
        .split('\n')
        .at(-1)}`,
    );
  }
  return findSshd();
}

function updateLists() {
  const [command, ...args] = process.getuid?.() === 0 ? ['apt-get', 'update'] : ['sudo', '-n', 'apt-get', 'update'];
  execFileSync(command, args, { stdio: 'pipe' });
}
