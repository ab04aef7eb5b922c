/**
 * The built window in a real Chromium, against the real headless server. `npm test` runs the journeys, which show that the
 * parts are joined, and `npm run test:all` the others too.
 */
import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/lib/chromium.mjs';

const executablePath = await findChromium();

/**
 * Parts of Chromium's own window. Each page is in a window of its own, and for each of these two it loads a page of the
 * browser's: that takes three times as long as all else that a new window takes.
 */
const browserPages = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** A process that is started ahead for a next page, which most tests don't open. */
const spareProcess = 'SpareRendererForSitePerProcess';
/** What Playwright turns off itself: of two such lists the last one holds. */
const offByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

export default defineConfig({
  projects: [
    { name: 'journeys', testDir: 'test/journeys' },
    { name: 'e2e', testDir: 'test/e2e' },
  ],
  outputDir: 'test-results/e2e',
  // A test waits for the page about half of its time. No test depends on what runs beside it.
  workers: 2,
  fullyParallel: true,
  // They only end what hangs: no test may depend on how fast or busy the machine is.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // A page on a busy machine may miss a moment once; scripts/test.mjs names the tests that needed the second try.
  retries: 1,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    actionTimeout: 120_000,
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${[...offByPlaywright, ...browserPages, spareProcess].join()}`,
      ],
    },
  },
});
