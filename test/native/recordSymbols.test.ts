/** The recorder loads into programs on machines older than the one that it was built on. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildRecorder, noRecorder, works } from '../support/recorder.ts';
import { longestMs } from './built.ts';

const reason = noRecorder ?? (works('objdump') ? null : "there is no objdump, which reads the library's symbols");

/** Oldest supported versions. Later versions of a library keep all symbols, so the newest needed symbol decides. */
const oldest: Readonly<Record<string, readonly number[]>> = { GLIBC: [2, 31], GCC: [4, 2] };

const parts = (version: string): number[] => version.split('.').map(Number);

function isNewer(version: readonly number[], than: readonly number[]): boolean {
  const length = Math.max(version.length, than.length);
  const at = Array.from({ length }, (_, index) => index).find((index) => (version[index] ?? 0) !== (than[index] ?? 0));
  return at !== undefined && (version[at] ?? 0) > (than[at] ?? 0);
}

describe.skipIf(reason !== null)(`Needs of the recorder${reason === null ? '' : ` (${reason})`}`, () => {
  let symbols: string[];
  beforeAll(() => {
    const library = join(buildRecorder(), 'libcopyscope_record.so');
    const { stdout } = spawnSync('objdump', ['-T', library], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    symbols = stdout.split('\n');
  }, longestMs);

  it('needs nothing newer than glibc 2.31, and no C++ runtime', () => {
    const asked = symbols.filter((line) => line.includes('*UND*'));
    // Weak symbols that compilers add to each library and that may be missing.
    const optional = (line: string): boolean => /^\S+\s+w\s.*\sBase\s/.test(line);
    const needed = asked
      .filter((line) => !optional(line))
      .map((line) => /\(([A-Z]+)_([0-9.]+)\)\s+(\S+)$/.exec(line)?.slice(1) ?? ['', '', line.trim()]);
    expect(needed.length).toBeGreaterThan(20);
    const tooNew = needed.filter(([library = '', version = '']) => {
      const allowed = oldest[library];
      return allowed === undefined || isNewer(parts(version), allowed);
    });
    expect(tooNew).toEqual([]);
  });

  it('shows the program nothing but what CUDA, NVTX and the Python package look for', () => {
    const shown = symbols.filter((line) => /^[0-9a-f]{8}/.test(line) && !line.includes('*UND*'));
    expect(shown.map((line) => line.split(/\s+/).at(-1)).sort()).toEqual([
      'CopyscopeBeginRecording',
      'CopyscopeEndRecording',
      'CopyscopeEndStep',
      'CopyscopeMarkStep',
      'CopyscopeRecordingState',
      'InitializeInjection',
      'InitializeInjectionNvtx2',
    ]);
  });
});
