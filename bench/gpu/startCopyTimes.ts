/** Times of startCopy in several processes. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Number of processes: the processor of a main thread, and its core's load, change small copies by half. */
const processes = 5;

interface StartCopyTimes {
  /** From the call to the results on the device, in nanoseconds; of all processes. */
  readonly ns: readonly number[];
  readonly checked: number;
  readonly wrong: number;
}

/** `repetitions` in all. Throws what a process wrote last, where one fails. */
export function startCopyTimes(payload: string, repetitions: number): StartCopyTimes {
  const each = Math.ceil(repetitions / processes);
  const found = Array.from({ length: processes }, () => timesOfOneProcess(payload, each));
  const sum = (of: (one: StartCopyTimes) => number): number => found.reduce((total, one) => total + of(one), 0);
  return { ns: found.flatMap(({ ns }) => ns), checked: sum((one) => one.checked), wrong: sum((one) => one.wrong) };
}

function timesOfOneProcess(payload: string, repetitions: number): StartCopyTimes {
  const program = [join(import.meta.dirname, 'start-copy.js'), payload, String(repetitions)];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1) ?? `the process ended with ${status}`);
  return JSON.parse(stdout) as StartCopyTimes;
}
