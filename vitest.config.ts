import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longestFirst.ts';

export default defineConfig({
  test: {
    include: [
      'test/unit/**/*.test.ts',
      'test/native/**/*.test.ts',
      'test/electron/**/*.test.ts',
      'test/fuzz/*.test.ts',
    ],
    setupFiles: ['test/seed.ts'],
    // Of three workers on two cores one waits: for a compiler, a program or a machine that it has started.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // They only end what hangs: no test may depend on how fast or busy the machine is.
    testTimeout: 600_000,
    // Some compile what their tests run.
    hookTimeout: 1_200_000,
  },
});
