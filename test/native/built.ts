/**
 * Builds programs of native/ with CMake for the tests. They stay in native/build-NAME, and are built again only if the
 * content of their sources changes: a file's time says nothing, since every checkout writes it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = /\.(c|cpp|cu|h|cmake)$|^CMakeLists\.txt$/;

export interface Ran {
  readonly status: number | null;
  readonly stderr: string;
  readonly output: string;
}

/** Limit for a build that hangs: on a busy machine a compiler may take a quarter of an hour. */
export const longestMs = 3_600_000;

export function ran(command: string, args: readonly string[], env = process.env): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', timeout: longestMs });
  return { status, stderr, output: `${stdout}${stderr}` };
}

const version = (tool: string): string => spawnSync(tool, ['--version'], { encoding: 'utf8' }).stdout ?? '';

export const isThere = (tool: string): boolean => version(tool) !== '';

/** Returns the missing tools for the tests of programs. */
export const missingTools = (): string[] => ['c++', 'cmake'].filter((tool) => !isThere(tool));

function* filesBelow(folder: string): Generator<string> {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isFile() && sources.test(entry.name)) yield path;
    else if (entry.isDirectory() && !/^(build|build-.*|node_modules)$/.test(entry.name)) yield* filesBelow(path);
  }
}

function digest(how: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify([how, version('c++'), version('cmake')]));
  for (const path of filesBelow('native')) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** Builds under one lock, so that a waiting process finds everything built. Every Linux has flock. */
function make(folder: string, targets: readonly string[]): void {
  const configure = ['-S', 'native', '-B', folder, '-DCMAKE_BUILD_TYPE=RelWithDebInfo'];
  // One job at a time, since other tests run too.
  const build = ['--build', folder, '--target', ...targets];
  mkdirSync(folder, { recursive: true });
  const script = `cmake "\${@:1:${configure.length}}" && cmake "\${@:${configure.length + 1}}"`;
  const { status, output } = ran('flock', [join(folder, 'lock'), 'bash', '-c', script, 'make', ...configure, ...build]);
  if (status !== 0) throw new Error(`cmake ended with ${status} for ${folder}:\n${output}`);
}

/** Builds and returns the folder. Test files share builds of the same name. */
export function built(name: string, targets: readonly string[]): string {
  const folder = join(root, 'native', `build-${name}`);
  const stamp = join(folder, 'built-from');
  const wanted = digest(targets);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  make(folder, targets);
  writeFileSync(stamp, wanted);
  return folder;
}
