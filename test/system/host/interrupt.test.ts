/** Ctrl-C during work of a real `copyscope` process that only its end can stop. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { writeLargeTrace } from '../../support/largeTrace.ts';
import { newFolder } from '../../support/newFolder.ts';
import { syntheticRun } from '../../support/syntheticRun.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { example } from '../../unit/host/support/runs.ts';
import { engineEntry } from '../../unit/host/support/terminal.ts';

/** A folder like the shipped program's, with the content of the working tree. */
const program = newFolder();

beforeAll(async () => {
  mkdirSync(join(program, 'dist/host'), { recursive: true });
  symlinkSync(join(repository, 'assets'), join(program, 'assets'));
  writeFileSync(join(program, 'package.json'), JSON.stringify({ type: 'module', version: '1.0.0' }));
  for (const [entry, name] of [
    [join(repository, 'host/cli/main.ts'), 'cli.js'],
    [engineEntry, 'engine-process.js'],
  ] as const) {
    const built = await buildEntry(entry);
    copyFileSync(built, join(program, 'dist/host', name));
  }
});

const repeated = (count: number): Experiment => {
  const [thread] = example().threads;
  if (thread === undefined) throw new Error('the example has no thread');
  return {
    ...example(),
    threads: [{ ...thread, operations: [{ op: 'repeat', id: 'again', count, operations: thread.operations }] }],
  };
};

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(program, name);
  writeFileSync(path, content);
  return path;
};

function trace(name: string): string {
  const path = join(program, name);
  writeLargeTrace(path, 100_000, 'tiny');
  return path;
}

/** Starts the command, interrupts it at its first output, and returns how it ended. */
async function interrupted(...args: string[]): Promise<string | number | null> {
  const child = spawn(process.execPath, [join(program, 'dist/host/cli.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, COPYSCOPE_DATA: join(program, 'data') },
  });
  const ended = once(child, 'exit');
  let timer: ReturnType<typeof setTimeout> | undefined;
  child.stdout.once('readable', () => {
    child.kill('SIGINT');
    // Nobody reads on: a command that the signal doesn't end waits until it can write the rest, and then ends with 0.
    timer = setTimeout(() => child.stdout.resume(), 20_000);
  });
  const [code, signal] = await ended;
  clearTimeout(timer);
  return signal ?? code;
}

// A shell reports 130 for a process ended by this signal.
it.each<[string, () => string[]]>([
  ['predict', () => ['predict', file('long.json', JSON.stringify(repeated(10_000)))]],
  ['explain, of an experiment', () => ['explain', file('long.json', JSON.stringify(repeated(10_000)))]],
  ['explain, of a trace', () => ['explain', trace('long-trace.json')]],
  ['explain, of a run', () => ['explain', file('long.arrow', encodeRun(syntheticRun(100_000)))]],
])('ends %s at once', async (_name, args) => {
  expect(await interrupted(...args(), '--json')).toBe('SIGINT');
});
