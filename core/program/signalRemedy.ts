import type { Program } from './program.ts';

/** Returns a remedy for threads of which one waits for a signal. */
export function signalRemedy({ threads, signals }: Program, held: readonly number[]): string | null {
  for (const { instructions } of threads) {
    for (const one of instructions) {
      if ((one.code !== 'signal' && one.code !== 'waitSignal') || !held.includes(one.op)) continue;
      const name = `"${signals[one.signal]?.id}"`;
      return one.code === 'signal'
        ? `Let another thread wait for ${name} as often as it is signalled, or give it more capacity.`
        : `Let another thread signal ${name} as often as it is waited for, before it waits for this one itself.`;
    }
  }
  return null;
}
