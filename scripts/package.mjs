/**
 * `npm run package [-- electron-builder's options]` makes the packages of this system into release/.
 * docs/development/releasing.md has the rest.
 */
import { readFileSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { runBuilder } from './lib/builder.mjs';
import { inRoot, runMain } from './lib/paths.mjs';
import { prebuild } from './lib/prebuilds.mjs';

const args = process.argv.slice(2);

/** Debian's packages name an address. ".invalid" is one that nobody can own. */
function homepage() {
  const { homepage: own } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const address = process.env.COPYSCOPE_HOMEPAGE ?? own;
  if (address === undefined)
    console.error('COPYSCOPE_HOMEPAGE names no address of the project: the packages have none.');
  return `-c.extraMetadata.homepage=${address ?? 'https://copyscope.invalid/'}`;
}

/** Returns where the app looks for updates: nowhere, unless a feed is named. */
function feed() {
  const address = process.env.COPYSCOPE_FEED;
  return address === undefined ? [] : ['-c.publish.provider=generic', `-c.publish.url=${address}`];
}

await runMain(async () => {
  await ensureBuilt(['renderer', 'host', 'electron']);
  prebuild();
  return runBuilder([homepage(), ...feed(), ...args], { stdio: 'inherit' }).status;
});
