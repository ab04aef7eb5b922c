#!/usr/bin/env node
/** The `copyscope` command. */
import { join } from 'node:path';
import { forkEngine } from '../engine/child.ts';
import { programFolder } from '../paths.ts';
import { runCli } from './cli.ts';
import { exitCodes } from './exitCodes.ts';
import { processTerminal } from './io.ts';

const interrupted = new AbortController();
const signals = ['SIGINT', 'SIGTERM'] as const;
const interrupt = (): void => {
  // A second Ctrl-C leaves behind whatever still hangs.
  if (interrupted.signal.aborted) process.exit(exitCodes.cancelled);
  interrupted.abort();
};
for (const signal of signals) process.on(signal, interrupt);
// A reader that stops early (`copyscope … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const program = programFolder();
process.exitCode = await runCli(process.argv.slice(2), {
  terminal: processTerminal(),
  program,
  environment: process.env,
  spawnEngine: () => forkEngine(join(program, 'dist/host/engine-process.js')),
  signal: interrupted.signal,
  // A handler runs only between two pieces of work. Without one the system ends the process, and a shell reports 130.
  leaveAtOnce: () => {
    for (const signal of signals) process.off(signal, interrupt);
  },
});
