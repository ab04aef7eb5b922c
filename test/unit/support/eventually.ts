import { vi } from 'vitest';

/**
 * Waits until `check` passes, and gives what it returned: for what comes from another process, the disk or a later
 * turn. The limit only ends a test that would hang, so it is one that no machine reaches by being slow or busy.
 */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 });
