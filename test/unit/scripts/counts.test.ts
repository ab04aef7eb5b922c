import { describe, expect, it } from 'vitest';
import {
  addCounts,
  closingLines,
  ctestCounts,
  failure,
  noCounts,
  playwrightCounts,
  vitestCounts,
  withExitCode,
} from '../../../scripts/lib/counts.mjs';

const vitestModule = (states: string[], errors: Error[] = []) => ({
  relativeModuleId: 'test/unit/a.test.ts',
  errors: () => errors,
  children: {
    allTests: () =>
      states.map((state) => ({
        fullName: state,
        result: () => ({
          state,
          note: `${state} note`,
          errors: state === 'failed' ? [new Error('expected 1 to be 2')] : undefined,
        }),
      })),
  },
});

const playwrightTest = (status: string, annotations: object[] = [], messages: string[] = []) => ({
  title: status,
  tests: [{ status, annotations, results: messages.map((message) => ({ errors: [{ message }] })) }],
});

describe('vitest counts', () => {
  it('name each test that failed, a file that could not be loaded, and an error outside of any test', () => {
    const modules = [
      vitestModule(['passed', 'passed', 'failed']),
      vitestModule(['skipped', 'pending'], [new Error('no such module')]),
    ];
    expect(vitestCounts(modules, [new Error('stray')])).toEqual({
      passed: 2,
      failed: [
        { test: 'vitest, outside of any test', reason: 'stray' },
        { test: 'test/unit/a.test.ts > failed', reason: 'expected 1 to be 2' },
        { test: 'test/unit/a.test.ts', reason: 'no such module' },
        { test: 'test/unit/a.test.ts > pending', reason: 'ended without an error' },
      ],
      skipped: [{ test: 'test/unit/a.test.ts > skipped', reason: 'skipped note' }],
    });
  });
});

describe('Playwright counts', () => {
  it('name tests of nested suites; one that passed only when tried again has failed', () => {
    const skip = [{ type: 'skip', description: 'no Electron' }];
    const message =
      '\u001b[31mError: not visible\u001b[39m\n\nLocator: getByText("x")\nExpected: visible\nTimeout: 5000ms';
    const report = {
      errors: [{ message: 'config' }],
      suites: [
        {
          title: 'a.spec.ts',
          specs: [playwrightTest('expected'), playwrightTest('flaky', [], ['late'])],
          suites: [
            {
              title: 'inner',
              specs: [playwrightTest('skipped', skip), playwrightTest('unexpected', [], [message])],
            },
          ],
        },
      ],
    };
    expect(playwrightCounts(report)).toEqual({
      passed: 1,
      failed: [
        { test: 'Playwright, outside of any test', reason: 'config' },
        { test: 'a.spec.ts > flaky', reason: 'late' },
        {
          test: 'a.spec.ts > inner > unexpected',
          reason: 'Error: not visible | Locator: getByText("x") | Expected: visible',
        },
      ],
      skipped: [{ test: 'a.spec.ts > inner > skipped', reason: 'no Electron' }],
    });
  });

  it('cut a long message', () => {
    const { failed } = playwrightCounts({ errors: [{ message: 'x'.repeat(10_000) }] });
    expect(failed[0]?.reason).toHaveLength(401);
  });
});

describe('CTest counts', () => {
  it('counts each test of its log once, with the reason of a failure', () => {
    const log = [
      'Test project /native/build',
      '    Start 1: executor',
      '1/3 Test #1: executor .........................   Passed    0.30 sec',
      '2/3 Test #2: record_4_300 .....................***Failed    1.20 sec',
      '3/3 Test #3: record_python ....................***Exception: SegFault  0.10 sec',
    ].join('\n');
    expect(ctestCounts(log)).toEqual({
      passed: 1,
      failed: [
        { test: 'C++: record_4_300', reason: 'Failed' },
        { test: 'C++: record_python', reason: 'Exception: SegFault' },
      ],
      skipped: [],
    });
  });
});

describe('the closing lines', () => {
  it('add up the runners, and name the failed tests right before the sum', () => {
    const one = { passed: 2, failed: [{ test: 'a', reason: 'b' }], skipped: [] };
    const other = { passed: 3, failed: [], skipped: [{ test: 'x', reason: 'y' }] };
    expect(closingLines(addCounts([one, other]))).toEqual([
      'Skipped:',
      '  x: y',
      '',
      'Failed:',
      '  a: b',
      '',
      '5 passed, 1 failed, 1 skipped',
    ]);
  });

  it('are one where all tests passed', () => {
    expect(closingLines({ ...noCounts(), passed: 5 })).toEqual(['5 passed, 0 failed, 0 skipped']);
  });

  it('show a failure where a runner ended badly and counted none', () => {
    const badly = { test: 'vitest', reason: 'exit code 1, and no failed test' };
    expect(withExitCode({ ...noCounts(), passed: 4 }, 1, 'vitest')).toMatchObject({ passed: 4, failed: [badly] });
    expect(withExitCode(failure('a', 'b'), 1, 'vitest').failed).toEqual([{ test: 'a', reason: 'b' }]);
    expect(withExitCode(noCounts(), 0, 'vitest').failed).toEqual([]);
  });
});
