/**
 * Runs after `npm ci`, and by hand as `node scripts/setup.mjs`: brings what the app needs beyond npm and builds the
 * native engines. Whatever is missing, the installation succeeds: the simulator needs none of it.
 * COPYSCOPE_SKIP_SETUP=1 leaves it out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { nativeSummary } from './lib/native-summary.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { cmake, compiler, provide } from './lib/system.mjs';

const say = (text) => console.error(text);

/** In a package without the C++ sources there is nothing to build. */
const hasSources = () => existsSync(inRoot('scripts/build-native.mjs')) && existsSync(inRoot('native/CMakeLists.txt'));

function setUp() {
  provide([cmake, compiler], say);
  const { error } = spawnSync(process.execPath, [inRoot('scripts/build-native.mjs')], { cwd: root, stdio: 'inherit' });
  if (error !== undefined) say(`The native build could not be started: ${error.message}`);
  say(box(nativeSummary()));
}

function box(lines) {
  const rule = '─'.repeat(Math.max(...lines.map((line) => line.length)));
  return ['', rule, ...lines, rule].join('\n');
}

if (process.env.COPYSCOPE_SKIP_SETUP === '1') say('COPYSCOPE_SKIP_SETUP is set: nothing is set up.');
else if (hasSources()) setUp();
