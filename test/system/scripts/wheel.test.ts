/** The wheel, made and installed as somebody would who has Python and Node, and neither compiler nor network. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { longestMs } from '../../native/built.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildRecorder, noRecorder, standInEnvironment } from '../../support/recorder.ts';

const root = join(import.meta.dirname, '../../..');
const work = newFolder();

const hasVenv = spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0;
const isBuilt = existsSync(join(root, 'native/build/Release/copyscope.node'));
const missing =
  process.platform !== 'linux' || process.arch !== 'x64'
    ? 'it is for Linux on x86-64'
    : !hasVenv
      ? 'python3 has no venv'
      : isBuilt
        ? null
        : 'there is no addon';

const trace = join(root, 'test/fixtures/pytorch-pairs/vision.pageable.json.gz');
const bin = join(work, 'venv/bin');
const env = { PATH: `${bin}:${dirname(process.execPath)}:/bin`, HOME: work, COPYSCOPE_DATA: join(work, 'data') };

describe.skipIf(missing !== null)(`the wheel${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let wheel: string;
  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'scripts/wheel.mjs'), work], { stdio: 'pipe' });
    wheel = join(work, readdirSync(work).find((name) => name.endsWith('.whl')) ?? '');
    execFileSync('python3', ['-m', 'venv', join(work, 'venv')]);
    execFileSync(join(bin, 'python'), ['-m', 'pip', 'install', '--no-index', wheel], { stdio: 'pipe' });
  }, longestMs);

  const ran = (command: string, args: readonly string[], more = {}) =>
    spawnSync(join(bin, command), args, { env: { ...env, ...more }, cwd: work, encoding: 'utf8', timeout: longestMs });

  it('is for every Linux with glibc 2.34, and at most 15 MB', () => {
    expect(wheel).toMatch(/copyscope-[\d.]+-py3-none-manylinux_2_34_x86_64\.whl$/);
    expect(statSync(wheel).size).toBeLessThan(15e6);
  });

  it('explains a trace by the command, and in Python with its report', () => {
    expect(ran('copyscope', ['explain', trace]).stdout).toMatch(/pageable/);
    const text = `import copyscope, sys
told = copyscope.explain(sys.argv[1])
print(told.plan[0]["changes"], "<iframe" in told._repr_html_())`;
    const { stdout, stderr } = ran('python', ['-c', text, trace]);
    expect(stdout, stderr).toMatch(/\['pin', .*\] True/);
  });

  it('brings the copy engine, whose errors are words', () => {
    const text = `import ctypes, copyscope
from copyscope._program import native_library
ctypes.CDLL(native_library("libcopyscope_copy.so", "COPYSCOPE_COPY_LIBRARY", "")).copyscopeCopyError
try: copyscope.to_device([], "cuda:0")
except copyscope.CopyscopeError as error: print(error)`;
    const { stdout, stderr } = ran('python', ['-c', text]);
    expect(stdout, stderr).toMatch(/^to_device copies PyTorch's tensors, and PyTorch can't be imported/);
  });

  it.skipIf(noRecorder !== null)('records with the library that it brings', () => {
    const { LD_LIBRARY_PATH, COPYSCOPE_RECORD_DRIVER } = standInEnvironment(buildRecorder());
    const text = `import copyscope, ctypes
program = ctypes.CDLL("libstandin_program.so")
with copyscope.record("run.arrow") as recording: program.standinPlay(3, 3)
print(len(recording.explain().verdicts))`;
    const { stdout, stderr } = ran('python', ['-c', text], { LD_LIBRARY_PATH, COPYSCOPE_RECORD_DRIVER });
    expect(stdout.trim().split('\n').at(-1), stderr).toBe('3');
  });
});
