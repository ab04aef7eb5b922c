/** Finds host threads that wait forever, because no thread gives the signal or its giver waits too. */

import { type Instruction, type InstructionOf, type Program, signalRemedy } from '../../program/program.ts';
import type { Schedule, Stuck } from '../order/schedule.ts';
import type { HazardWords } from './words.ts';

export interface EndlessWait extends Stuck {
  readonly op: number;
  /** Whether the wait is endless in every order of the host threads. */
  readonly isCertain: boolean;
  /** Waiting threads, including this one, that would end the wait later if they continued. */
  readonly givers: readonly Stuck[];
}

/**
 * Returns no wait if repeats were cut short, because the omitted rounds may give the signal. A wait is certain if each
 * signal has at most one signalling and one waiting thread: then every order of calls ends the same way.
 */
export function endlessWaits(program: Program, { rounds, stuck }: Schedule): EndlessWait[] {
  if (rounds !== null || stuck.length === 0) return [];
  const isCertain = program.signals.every(
    (_, signal) => callers(program, 'signal', signal) <= 1 && callers(program, 'waitSignal', signal) <= 1,
  );
  return stuck.map((one) => ({ ...one, op: one.at.op, isCertain, givers: stuck.filter((other) => ends(one, other)) }));
}

const callers = ({ threads }: Program, code: SignalCode, signal: number): number =>
  threads.filter(({ instructions }) => instructions.some(isOf(code, signal))).length;

type SignalCode = InstructionOf<'signal' | 'waitSignal'>['code'];

const isOf =
  (code: SignalCode, signal: number) =>
  (instruction: Instruction): boolean =>
    instruction.code === code && instruction.signal === signal;

const opposite = (code: SignalCode): SignalCode => (code === 'signal' ? 'waitSignal' : 'signal');

const ends = ({ at }: Stuck, { later }: Stuck): boolean => [...later].some(isOf(opposite(at.code), at.signal));

/** Limit of threads named in a message. */
const mostNamed = 3;

export function endlessWords(program: Program, wait: EndlessWait): HazardWords {
  const { thread, at, isCertain } = wait;
  const where = `at "${labelOf(program, at.op)}"`;
  const caller = `Host thread "${program.threads[thread]?.id}"`;
  return {
    title: isCertain ? 'Waits for ever' : 'May wait for ever',
    explanation: isCertain
      ? `${caller} waits for ever ${where}, and the program never ends.`
      : `${caller} may wait for ever ${where}, depending on which host thread comes first. Then the program never ends.`,
    missing: missing(program, wait),
    remedy: signalRemedy(program, [at.op]) ?? '',
  };
}

function missing(program: Program, { thread, at, givers }: EndlessWait): string {
  const signal = program.signals[at.signal];
  const name = `"${signal?.id}"`;
  const gives = at.code === 'waitSignal' ? `signals ${name}` : `waits for ${name}`;
  if (givers.length > 0) {
    const named = givers.slice(0, mostNamed).map((one) => {
      if (one.thread === thread) return `The same host thread ${gives} only afterwards.`;
      const label = labelOf(program, one.at.op);
      return `Host thread "${program.threads[one.thread]?.id}" ${gives} only after "${label}", where it waits itself.`;
    });
    const more = givers.length - named.length;
    return [...named, ...(more > 0 ? [`So do ${more} more.`] : [])].join(' ');
  }
  const isEver = callers(program, opposite(at.code), at.signal) > 0;
  if (at.code === 'waitSignal') {
    return isEver ? `${name} is waited for more often than it is signalled.` : `No host thread signals ${name}.`;
  }
  const room = `${name} has room for ${signal?.capacity}`;
  return isEver
    ? `${room}, and is signalled more often than that and its waits together.`
    : `${room}, and no host thread waits for it.`;
}

const labelOf = ({ operations }: Program, op: number): string => operations[op]?.label ?? `operation ${op}`;
