#!/usr/bin/env node
/** The `copyscope` command. */
import { join } from 'node:path';
import { forkEngine } from '../engine/child.ts';
import { programFolder } from '../paths.ts';
import { runCli } from './cli.ts';
import { exitCodes } from './exitCodes.ts';
import { processTerminal } from './io.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Asked twice: whatever still hangs is left behind.
    if (interrupted.signal.aborted) process.exit(exitCodes.cancelled);
    interrupted.abort();
  });
}
// A reader that has had enough (`copyscope … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const program = programFolder();
process.exitCode = await runCli(process.argv.slice(2), {
  terminal: processTerminal(),
  program,
  environment: process.env,
  spawnEngine: () => forkEngine(join(program, 'dist/host/engine-process.js')),
  signal: interrupted.signal,
});
