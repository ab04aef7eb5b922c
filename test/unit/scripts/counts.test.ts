import { describe, expect, it } from 'vitest';
import {
  addCounts,
  countLine,
  noCounts,
  playwrightCounts,
  vitestCounts,
  withExitCode,
} from '../../../scripts/lib/counts.mjs';

const vitestModule = (states: string[], errors = 0) => ({
  relativeModuleId: 'test/unit/a.test.ts',
  errors: () => Array.from({ length: errors }, () => ({})),
  children: {
    allTests: () => states.map((state) => ({ fullName: state, result: () => ({ state, note: `${state} note` }) })),
  },
});

const playwrightTest = (status: string, annotations: object[] = []) => ({
  title: status,
  tests: [{ status, annotations }],
});

describe('vitest counts', () => {
  it('count each state, a file that could not be loaded, and an error outside of any test', () => {
    const modules = [vitestModule(['passed', 'passed', 'failed']), vitestModule(['skipped', 'pending'], 1)];
    expect(vitestCounts(modules, [new Error('stray')])).toEqual({
      passed: 2,
      failed: 4,
      skipped: [{ test: 'test/unit/a.test.ts > skipped', reason: 'skipped note' }],
    });
  });
});

describe('Playwright counts', () => {
  it('count nested suites; one that passed only when tried again has failed', () => {
    const skip = [{ type: 'skip', description: 'no Electron' }];
    const report = {
      errors: [{ message: 'config' }],
      suites: [
        {
          title: 'a.spec.ts',
          specs: [playwrightTest('expected'), playwrightTest('flaky')],
          suites: [{ title: 'inner', specs: [playwrightTest('skipped', skip), playwrightTest('unexpected')] }],
        },
      ],
    };
    expect(playwrightCounts(report)).toEqual({
      passed: 1,
      failed: 3,
      skipped: [{ test: 'a.spec.ts > inner > skipped', reason: 'no Electron' }],
    });
  });
});

describe('the closing line', () => {
  it('adds up the runners', () => {
    const one = { passed: 2, failed: 1, skipped: [] };
    const other = { passed: 3, failed: 0, skipped: [{ test: 'x', reason: 'y' }] };
    expect(countLine(addCounts([one, other]))).toBe('5 passed, 1 failed, 1 skipped');
  });

  it('shows a failure where a runner ended badly and counted none', () => {
    expect(withExitCode({ ...noCounts(), passed: 4 }, 1).failed).toBe(1);
    expect(withExitCode({ ...noCounts(), failed: 2 }, 1).failed).toBe(2);
    expect(withExitCode(noCounts(), 0).failed).toBe(0);
  });
});
