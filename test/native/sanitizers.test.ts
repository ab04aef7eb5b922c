/** The executor's own tests, built with AddressSanitizer and ThreadSanitizer. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const works = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0;
const missing = ['c++', 'cmake'].filter((tool) => !works(tool));
const supported = process.platform === 'linux' && missing.length === 0;
const reason = missing.length > 0 ? `there is no ${missing.join(' and no ')}` : `not run on ${process.platform}`;

function run(command: string, args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', timeout: 880_000 });
  return { status, output: `${stdout}${stderr}` };
}

function build(sanitizer: string): string {
  const folder = join(root, 'native', `build-${sanitizer}`);
  const type = '-DCMAKE_BUILD_TYPE=RelWithDebInfo';
  const configured = run('cmake', ['-S', 'native', '-B', folder, `-DCOPYSCOPE_SANITIZE=${sanitizer}`, type]);
  expect(configured.status, configured.output).toBe(0);
  const built = run('cmake', ['--build', folder, '--parallel', '2']);
  expect(built.status, built.output).toBe(0);
  return join(folder, 'copyscope_executor_tests');
}

/** ThreadSanitizer needs its addresses where some kernels' randomisation won't leave them. */
function runTests(program: string): { status: number | null; output: string } {
  const plain = run(program, []);
  const collided = plain.status !== 0 && plain.output.includes('unexpected memory mapping');
  return collided ? run('setarch', ['-R', program]) : plain;
}

describe.skipIf(!supported)(supported ? 'the executor' : `the executor (skipped: ${reason})`, () => {
  test.each(['address', 'thread'])(
    'passes its tests under the %s sanitizer',
    (sanitizer) => {
      const { status, output } = runTests(build(sanitizer));
      expect(output).toMatch(/^\d+ passed, 0 failed$/m);
      expect(status, output).toBe(0);
    },
    900_000,
  );
});
