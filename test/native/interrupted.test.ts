/** Programs that need more than the machine has, or run for minutes: refused, or ended completely by Ctrl-C. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExperimentInput } from '../../core/experiment/experiment.ts';
import { endless, tooLarge } from '../support/heavyPrograms.ts';
import { newFolder } from '../support/newFolder.ts';
import { buildEntry } from '../unit/host/support/buildEntry.ts';
import { copyscope, engineEntry, type Result } from '../unit/host/support/terminal.ts';
import { eventually } from '../unit/support/eventually.ts';
import { describeNative } from './support.ts';

const folder = newFolder();
const engine = await buildEntry(engineEntry);

/** Runs it on the CPU engine from the command line; `onProgress` receives the text of the progress line. */
function run(program: ExperimentInput, signal: AbortSignal, onProgress: (text: string) => void): Promise<Result> {
  const path = join(folder, 'program.json');
  writeFileSync(path, JSON.stringify(program));
  return copyscope(['run', path, '--engine', 'cpu'], engine, {
    terminal: { animated: true, err: onProgress },
    // A long limit, so that an engine that isn't scheduled is not killed.
    context: { signal, cancelGraceMs: 600_000 },
  });
}

/** Returns running children of this process. */
const children = (): string[] => {
  try {
    const listed = execFileSync('ps', ['-o', 'pid=,stat=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
    return listed.split('\n').filter((line) => line.includes(engine) && !/^\s*\d+ Z/.test(line));
  } catch {
    return [];
  }
};

describeNative('a program of more than there is', () => {
  test.each(tooLarge.map((program) => [program.name, program] as const))('%s is refused', async (_, program) => {
    const { exitCode, err } = await run(program, new AbortController().signal, () => {});
    expect({ exitCode, err }).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/The experiment needs \d+ bytes/),
    });
    await eventually(() => expect(children()).toEqual([]));
  });
});

describeNative('Ctrl-C', () => {
  test.each(endless.map((program) => [program.name, program] as const))('ends %s', async (_, program) => {
    const interrupt = new AbortController();
    const { exitCode, err } = await run(program, interrupt.signal, (text) => {
      // The program's own threads and streams are running.
      if (/warm|timing|record/i.test(text)) interrupt.abort();
    });
    expect(exitCode).toBe(130);
    // The engine ended by itself, and was not killed for lack of an answer.
    expect(err).not.toContain('its engine process was ended');
    await eventually(() => expect(children()).toEqual([]));
  });
});
