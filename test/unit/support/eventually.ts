import { vi } from 'vitest';

/**
 * Waits until `check` passes, and resolves with its result: for changes by another process, the disk or a later turn.
 * The limit only ends a test that would hang, so even a slow or busy machine doesn't reach it.
 */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 });
