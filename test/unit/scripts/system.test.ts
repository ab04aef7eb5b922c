import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  cmake,
  compiler,
  findProgram,
  installCommands,
  provide,
  wantsInstall,
  xvfb,
} from '../../../scripts/lib/system.mjs';

afterEach(() => vi.restoreAllMocks());
const asUser = (uid: number) => vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(uid);

describe('commands for a person to type', () => {
  it.each([
    ['apt-get', ['sudo apt-get update && sudo apt-get install -y cmake g++ make']],
    ['dnf', ['sudo dnf install -y cmake gcc-c++ make']],
    ['pacman', ['sudo pacman -S --needed --noconfirm cmake base-devel']],
    ['brew', ['brew install cmake', 'xcode-select --install']],
  ])('with %s', (manager, commands) => {
    asUser(1000);
    expect(installCommands([cmake, compiler], manager)).toEqual(commands);
  });

  it('with winget, where the compiler is a workload of its own', () => {
    const [first, second] = installCommands([cmake, compiler], 'winget');
    expect(first).toBe('winget install Kitware.CMake');
    expect(second).toMatch(/BuildTools.*VCTools/);
  });

  it('need no sudo for root, and name the packages if there is no package manager', () => {
    asUser(0);
    expect(installCommands([xvfb], 'apt-get')).toEqual(['apt-get update && apt-get install -y xvfb']);
    expect(installCommands([cmake, compiler], null)).toEqual([
      "Install CMake and a C++ compiler with your system's tools.",
    ]);
  });
});

describe('packages of the system', () => {
  it.each([
    [{}, true],
    [{ CI: 'false' }, true],
    [{ CI: 'true' }, false],
    [{ CI: '1' }, false],
    [{ CI: 'true', COPYSCOPE_INSTALL: '1' }, true],
    [{ COPYSCOPE_INSTALL: '0' }, false],
  ])('are installed, or not, with %j', (environment, isWanted) => {
    expect(wantsInstall(environment)).toBe(isWanted);
  });

  it('packages of the system are left alone unless they are asked for, and missing ones are listed', () => {
    const missing = { name: 'nothing', met: () => false, packages: { 'apt-get': ['no-such-package-here'] } };
    const said: string[] = [];
    expect(provide([missing], (text: string) => said.push(text), false)).toEqual([missing]);
    expect(said).toEqual([]);
  });
});

it('a program on PATH is found by the first name that is there, or not at all', () => {
  expect(findProgram('no-such-program-here', 'node')).toMatch(/node(\.exe)?$/);
  expect(findProgram('no-such-program-here')).toBeNull();
});
