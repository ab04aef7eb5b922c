import { defineConfig } from 'vitest/config';

/** Limits that only end what hangs: no test may depend on how fast or busy the machine is. */
const limits = {
  testTimeout: 600_000,
  // Some hooks compile what their tests run.
  hookTimeout: 1_200_000,
};
const setupFiles = ['test/seed.ts'];

/** `npm test` runs the unit tests, `npm run test:all` the others too: scripts/test.mjs. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], setupFiles, ...limits } },
      {
        test: {
          // Tests that start processes or servers, or compile.
          name: 'system',
          include: ['test/{system,native,electron}/**/*.test.ts', 'test/fuzz/*.test.ts'],
          setupFiles,
          ...limits,
        },
      },
    ],
  },
});
