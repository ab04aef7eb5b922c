import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/lib/chromium.mjs';
import { commands } from './test/component/support/commands.ts';

const executablePath = await findChromium();

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
      {
        // All files share what is imported, which takes longer to load than most tests to run.
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], setupFiles, isolate: false, ...limits },
      },
      {
        test: {
          // Tests that start processes or servers, or compile.
          name: 'system',
          include: ['test/{system,native,electron}/**/*.test.ts', 'test/fuzz/*.test.ts'],
          setupFiles,
          ...limits,
        },
      },
      {
        publicDir: false,
        worker: { format: 'es' },
        // The stores of the window are reset between tests.
        resolve: {
          alias: [{ find: /^zustand$/, replacement: join(import.meta.dirname, 'test/component/support/stores.ts') }],
        },
        // React as it ships: its development build takes several times as long.
        oxc: { jsx: { runtime: 'automatic', development: false } },
        optimizeDeps: {
          entries: ['renderer/main.tsx', 'renderer/**/*orker.ts', 'test/component/**/*.{ts,tsx}'],
          include: ['react/jsx-runtime'],
          rolldownOptions: { transform: { define: { 'process.env.NODE_ENV': '"production"' } } },
        },
        test: {
          name: 'component',
          include: ['test/component/**/*.test.tsx'],
          setupFiles: ['test/component/support/setup.ts'],
          // All files share the window's modules, which take longer to load than most tests to run.
          isolate: false,
          testTimeout: 120_000,
          // As in playwright.config.ts.
          retry: 1,
          expect: { poll: { interval: 30, timeout: 30_000 } },
          browser: {
            enabled: true,
            connectTimeout: 600_000,
            headless: true,
            ui: false,
            screenshotFailures: false,
            provider: playwright({
              actionTimeout: 30_000,
              launchOptions: {
                ...(executablePath === null ? {} : { executablePath }),
                args: ['--disable-gpu', '--no-sandbox', '--no-first-run', '--disable-background-networking'],
              },
              // The tested page is a frame in this one, which would be scaled if it were larger.
              contextOptions: { reducedMotion: 'reduce', viewport: { width: 1920, height: 1080 } },
            }),
            instances: [{ browser: 'chromium' }],
            viewport: { width: 1280, height: 800 },
            commands,
          },
        },
      },
    ],
  },
});
