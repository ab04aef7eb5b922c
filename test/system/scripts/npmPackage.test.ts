/** The npm package, built and installed without a compiler or a network. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../support/newFolder.ts';
import { misplaced, textProblems } from './support/packedFiles.ts';

const root = join(import.meta.dirname, '../../..');
const work = newFolder();

const prefix = join(work, 'prefix');
const onWindows = process.platform === 'win32';
const installed = join(prefix, onWindows ? 'node_modules' : 'lib/node_modules', 'copyscope');
/** Path with Node only: no compiler, and nothing of the clone. */
const path = join(work, 'path');
const env = { PATH: path, HOME: work, USERPROFILE: work, COPYSCOPE_DATA: join(work, 'data') };

const hasAddon = existsSync(join(root, 'native/build/Release/copyscope.node'));

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/npm-package.mjs'), work], { stdio: 'pipe' });
  const [tarball = ''] = readdirSync(work).filter((name) => name.endsWith('.tgz'));
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, onWindows ? 'node.exe' : 'node'));
  const options = ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix];
  // npm is a script next to Node, or on this test's own path.
  const npmEnv = { ...env, PATH: [path, dirname(process.execPath), process.env['PATH']].join(delimiter) };
  execFileSync('npm', [...options, join(work, tarball)], { env: npmEnv, shell: onWindows, stdio: 'pipe' });
});

function copyscope(...args: string[]) {
  const cli = join(installed, 'dist/host/cli.js');
  return spawnSync(process.execPath, [cli, ...args], { env, cwd: work, encoding: 'utf8', timeout: 100_000 });
}

const files = (): string[] =>
  readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(installed.length + 1)
        .replaceAll('\\', '/'),
    );

describe('the npm package', () => {
  it('holds what runs, its licences and nothing else', () => {
    const where =
      /^(package\.json|LICENSE|README\.md|dist\/(host|renderer)\/|assets\/(?!icons\/)[a-z]+\/|native\/prebuilds\/[a-z0-9]+-[a-z0-9]+\/(copyscope\.node|libcopyscope_record\.so)$)/;
    expect(misplaced(files(), where)).toEqual([]);
    for (const file of ['dist/host/cli.js', 'dist/renderer/index.html', 'dist/renderer/third-party.md', 'LICENSE'])
      expect(files()).toContain(file);
    const texts = files()
      .filter((file) => /\.(js|cjs|json|html|css|md)$/.test(file))
      .map((file): [string, string] => [file, readFileSync(join(installed, file), 'utf8')]);
    expect(
      textProblems(
        texts,
        [root, homedir()].filter((folder) => folder.length > 6),
      ),
    ).toEqual([]);
  });

  it('asks for no dependency, and runs nothing when it is installed', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    for (const field of ['private', 'dependencies', 'devDependencies', 'scripts', 'binary'])
      expect(manifest).not.toHaveProperty(field);
    expect(manifest.bin).toEqual({ copyscope: 'dist/host/cli.js' });
    expect(readdirSync(dirname(installed))).toEqual(['copyscope']);
  });

  it('has a command that is found by its name', () => {
    const command = join(prefix, onWindows ? 'copyscope.cmd' : 'bin/copyscope');
    const options = { env, encoding: 'utf8', shell: onWindows } as const;
    const { stdout } = spawnSync(command, ['--version'], options);
    expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  });

  const engines = ['sim', ...(hasAddon ? ['cpu'] : [])];
  it.each(engines)('runs an experiment on the %s engine', (engine) => {
    const example = join(installed, 'assets/examples/overlap/pinned-side-stream.json');
    const { status, stdout, stderr } = copyscope('run', example, '--engine', engine, '--json');
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'complete', engine });
  });

  it.skipIf(hasAddon)('has no cpu engine if none was compiled (skipped: it was)', () => {
    const { status, stderr } = copyscope('run', 'overlap/pinned-side-stream', '--engine', 'cpu');
    expect(status).not.toBe(0);
    expect(stderr).toContain(`${process.platform}-${process.arch}`);
  });
});
