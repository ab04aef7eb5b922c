/** System packages that Copyscope needs and npm can't install: whether they are here, and how to install them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const { platform, env } = process;

/** Path of a program on PATH, or null. */
export function findProgram(...names) {
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) {
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isExecutable(path)) return path;
      }
    }
  }
  return null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function visualStudioFound() {
  const installer = join(env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)', 'Microsoft Visual Studio/Installer');
  const query = ['-latest', '-products', '*', '-requires', 'Microsoft.VisualStudio.Component.VC.Tools.x86.x64'];
  const found = spawnSync(join(installer, 'vswhere.exe'), [...query, '-property', 'installationPath']);
  return found.status === 0 && found.stdout.toString().trim() !== '';
}

function compilerFound() {
  if (platform === 'win32') return visualStudioFound();
  const found = findProgram('c++', 'g++', 'clang++') !== null || (env.CXX !== undefined && isExecutable(env.CXX));
  return found && findProgram('make', 'ninja') !== null;
}

/**
 * Needs: name for people, whether it is met, and packages by package manager. If a manager has no package, `command`
 * says what to do instead.
 */
export const cmake = {
  name: 'CMake',
  met: () => findProgram('cmake') !== null,
  packages: { 'apt-get': ['cmake'], dnf: ['cmake'], pacman: ['cmake'], brew: ['cmake'], winget: ['Kitware.CMake'] },
};

export const compiler = {
  name: 'a C++ compiler',
  met: compilerFound,
  packages: { 'apt-get': ['g++', 'make'], dnf: ['gcc-c++', 'make'], pacman: ['base-devel'] },
  command: {
    brew: 'xcode-select --install',
    winget:
      'winget install Microsoft.VisualStudio.2022.BuildTools --override ' +
      '"--passive --wait --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"',
  },
};

export const xvfb = {
  name: 'Xvfb',
  met: () => platform !== 'linux' || findProgram('Xvfb') !== null,
  packages: { 'apt-get': ['xvfb'], dnf: ['xorg-x11-server-Xvfb'], pacman: ['xorg-server-xvfb'] },
};

export const crossCompiler = {
  name: 'C++ compiler for 64-bit Arm',
  met: () => findProgram('aarch64-linux-gnu-g++') !== null,
  packages: { 'apt-get': ['g++-aarch64-linux-gnu'], dnf: ['gcc-c++-aarch64-linux-gnu'] },
};

/** The package manager of this system, or null. */
export function packageManager() {
  if (platform === 'darwin') return 'brew';
  if (platform === 'win32') return 'winget';
  return ['apt-get', 'dnf', 'pacman'].find((name) => findProgram(name) !== null) ?? null;
}

const isRoot = () => process.getuid?.() === 0;

function sudoWithoutPassword() {
  if (findProgram('sudo') === null) return false;
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore', timeout: 5000 }).status === 0;
}

/**
 * Returns whether system packages should be installed. The README says so to a person who types `npm ci`. In CI, where
 * nobody reads the output, they are installed only for COPYSCOPE_INSTALL=1, and for `npm test`.
 */
export function wantsInstall({ CI = '', COPYSCOPE_INSTALL = '' } = env) {
  if (COPYSCOPE_INSTALL !== '') return COPYSCOPE_INSTALL === '1';
  return CI === '' || CI === 'false' || CI === '0';
}

/** Whether a setup step can install packages by itself: apt-get, as root or through sudo without a password. */
export function mayInstall() {
  return platform === 'linux' && packageManager() === 'apt-get' && (isRoot() || sudoWithoutPassword());
}

const installers = {
  'apt-get': 'sudo apt-get update && sudo apt-get install -y',
  dnf: 'sudo dnf install -y',
  pacman: 'sudo pacman -S --needed --noconfirm',
  brew: 'brew install',
  winget: 'winget install',
};

/** The exact commands, a line each, that install `needs` with this system's package manager. */
export function installCommands(needs, manager = packageManager()) {
  if (manager === null) return [`Install ${needs.map((need) => need.name).join(' and ')} with your system's tools.`];
  const packages = needs.flatMap((need) => need.packages[manager] ?? []);
  const others = needs.flatMap((need) => (need.packages[manager] ? [] : (need.command?.[manager] ?? [])));
  const installer = isRoot() ? installers[manager].replaceAll('sudo ', '') : installers[manager];
  return packages.length === 0 ? others : [`${installer} ${packages.join(' ')}`, ...others];
}

/** Installs Debian packages without asking anything; where that fails, says so in apt-get's own words. */
export function aptInstall(packages, say) {
  say(`Installing ${packages.join(', ')} with apt-get …`);
  try {
    runApt(packages);
  } catch (error) {
    const words = String(error.stderr ?? error.message)
      .trim()
      .split('\n');
    say(`apt-get failed: ${words.at(-1)}`);
  }
}

function runApt(packages) {
  const options = { stdio: 'pipe', timeout: 15 * 60_000, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } };
  const apt = (...args) => {
    const command = ['apt-get', ...args];
    if (isRoot()) execFileSync(command[0], command.slice(1), options);
    // sudo clears the environment, so the variable is handed over by name.
    else execFileSync('sudo', ['-n', 'DEBIAN_FRONTEND=noninteractive', ...command], options);
  };
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  try {
    install();
  } catch {
    // Most often the package lists are old or were never fetched.
    apt('update');
    install();
  }
}

/** Installs what of `needs` is missing where that is wanted and allowed; returns what is missing still. */
export function provide(needs, say, isWanted = wantsInstall()) {
  const missing = needs.filter((need) => !need.met());
  if (missing.length === 0 || !isWanted || !mayInstall()) return missing;
  const packages = missing.flatMap((need) => need.packages['apt-get'] ?? []);
  if (packages.length === 0) return missing;
  aptInstall(packages, say);
  return missing.filter((need) => !need.met());
}

/** ID of the Linux distribution as os-release gives it, such as "debian" or "ubuntu"; an empty string elsewhere. */
export function distribution() {
  try {
    return /^ID="?([\w.-]+)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}
