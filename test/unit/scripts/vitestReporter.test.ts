/** A run of vitest in which nothing ends any more is told and ended. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import CountsReporter, { mostSilentMs } from '../../../scripts/lib/vitest-reporter.mjs';

const [first, second] = ['test/unit/a.test.ts', 'test/unit/b.test.ts'].map((relativeModuleId) => ({
  relativeModuleId,
}));
const write = vi.fn();
const end = vi.fn();

describe('the reporter of a run', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.clearAllMocks();
  });

  it('ends it where nothing ended for longer than any limit of a test, and names what is open', () => {
    const reporter = new CountsReporter({ write, end });
    reporter.onTestRunStart();
    for (const module of [first, second]) reporter.onTestModuleStart(module);
    reporter.onTestModuleEnd(first);
    vi.advanceTimersByTime(mostSilentMs - 1);
    reporter.onTestCaseResult();
    vi.advanceTimersByTime(mostSilentMs - 1);
    expect(end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(end).toHaveBeenCalledOnce();
    const [modules, errors] = write.mock.calls[0] ?? [];
    expect(modules).toEqual([first]);
    expect(errors[0].message).toMatch(/nothing ended for 25 minutes.*not ended: test\/unit\/b\.test\.ts/);
  });

  it('leaves the counts of one that ends, and no clock', () => {
    const reporter = new CountsReporter({ write, end });
    reporter.onTestRunStart();
    reporter.onTestModuleStart(first);
    reporter.onTestModuleEnd(first);
    reporter.onTestRunEnd([first], []);
    expect(write).toHaveBeenCalledWith([first], []);
    expect(vi.getTimerCount()).toBe(0);
  });
});
