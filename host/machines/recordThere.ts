/** Records a program of another machine: it runs there, and its run comes back. */
import { randomUUID } from 'node:crypto';
import { CopyscopeError } from '../../core/errors.ts';
import type { RecordedSoFar } from '../../core/service/recording.ts';
import { errorOf } from '../engine/ofMachine.ts';
import { keeperOf } from './keeperCalls.ts';
import type { MachineOptions } from './machineChild.ts';
import type { ProgramRecorded, ProgramThere } from './protocol.ts';

export interface RecordThereHooks {
  /** The program is asked to end, as by Ctrl-C: once there is a line, where there is none. */
  readonly stop: AbortSignal;
  /** Whoever stops it where there is no line does not wait for one. */
  readonly leavesWithoutLine?: boolean;
  /** It is ended at once. */
  readonly kill?: AbortSignal;
  /** Nobody waits for it any more: it goes on there. */
  readonly left?: AbortSignal;
  readonly onCounts: (counts: RecordedSoFar) => void;
  readonly onOutput: (text: string, isError: boolean) => void;
}

/**
 * Rejects with what is wrong with the program there, with `host.*` where there is no way to it, and with `host.left` where it
 * goes on there without anybody who waits.
 */
export async function recordThere(
  options: MachineOptions,
  program: Omit<ProgramThere, 'host'>,
  { stop, leavesWithoutLine = false, kill, left, onCounts, onOutput }: RecordThereHooks,
): Promise<ProgramRecorded> {
  let isUp = false;
  const onLine: MachineOptions['onLine'] = (line, why) => {
    isUp = line === 'up';
    options.onLine?.(line, why);
  };
  const keeper = keeperOf(
    { ...options, onLine },
    { recorded: (_, counts) => onCounts(counts), printed: (_, text, isError) => onOutput(text, isError) },
  );
  const id = randomUUID();
  const acts: readonly (readonly [signal: AbortSignal | undefined, act: () => void])[] = [
    [stop, () => (leavesWithoutLine && !isUp ? keeper.leave() : keeper.tell('cancel', id))],
    [kill, () => keeper.tell('endProgram', id)],
    [left, () => keeper.leave()],
  ];
  for (const [signal, act] of acts) signal?.addEventListener('abort', act);
  try {
    const recorded = await keeper.call('record', id, { ...program, host: options.host });
    // A copy: what the line brought is a window on a longer message.
    return { ...recorded, file: recorded.file === null ? null : new Uint8Array(recorded.file) };
  } catch (thrown) {
    // Before there was a line there was no program.
    throw stop.aborted && !(thrown instanceof CopyscopeError) ? cancelled() : errorOf(options.host, thrown);
  } finally {
    for (const [signal, act] of acts) signal?.removeEventListener('abort', act);
    keeper.close();
  }
}

const cancelled = (): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message: 'The program was not started.' });
