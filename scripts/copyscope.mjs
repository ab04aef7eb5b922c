/**
 * `npm run -s copyscope -- ARGS`: the command from a clone. Builds what is missing or out of date first, and leaves
 * stdout to the command.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ensureBuilt } from './build.mjs';
import { inRoot } from './lib/paths.mjs';

const args = process.argv.slice(2);
// The page of reports is built with the window.
await ensureBuilt(['serve', 'report'].includes(args[0]) ? ['renderer', 'host'] : ['host']);

const cli = spawn(process.execPath, [inRoot('dist/host/cli.js'), ...args], { stdio: 'inherit' });
// Ctrl-C in a terminal reaches the command itself; a signal sent to this process alone is passed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => cli.kill('SIGTERM'));
cli.once('close', (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
});
