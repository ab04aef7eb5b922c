/**
 * Finds the Chromium for end-to-end tests, and installs one if there is none. Prefers the headless shell: without a
 * window of its own it opens a page in a fifth less time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { aptInstall, distribution, findProgram, mayInstall } from './system.mjs';

const downloadMinutes = 5;

/** Returns the path of a Chromium: COPYSCOPE_CHROMIUM, on PATH, or downloaded by Playwright; null if there is none. */
export async function findChromium() {
  const named = process.env.COPYSCOPE_CHROMIUM;
  if (named !== undefined && existsSync(named)) return named;
  const { chromium } = await import('@playwright/test');
  const downloaded = chromium.executablePath();
  // A snap's launcher can't see the temporary folders that Playwright uses.
  const onPath = findProgram('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome');
  if (onPath !== null && !isSnap(onPath)) return onPath;
  return downloaded !== '' && existsSync(downloaded) ? downloaded : null;
}

function isSnap(path) {
  return distribution() === 'ubuntu' && /chromium/.test(path);
}

/** Command with which a person installs a Chromium for the tests. */
export const chromiumCommand = 'npx playwright install --with-deps chromium';

/** Brings a Chromium where that is allowed; returns its path, or null. Debian's package first, then Playwright's own. */
export async function provideChromium(say, isWanted) {
  const found = await findChromium();
  if (found !== null || !isWanted) return found;
  if (mayInstall() && distribution() === 'debian') {
    aptInstall(['chromium-headless-shell'], say);
  } else if (process.platform !== 'linux' || mayInstall()) {
    say(`Running ${chromiumCommand} …`);
    const args = ['playwright', 'install', ...(process.platform === 'linux' ? ['--with-deps'] : []), 'chromium'];
    spawnSync('npx', args, { stdio: 'ignore', timeout: downloadMinutes * 60_000, shell: process.platform === 'win32' });
  }
  return findChromium();
}
