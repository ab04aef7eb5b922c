/** Runs work in steps, and handles waiting messages between them. */
import type { InSteps } from '../../core/steps.ts';

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()?.();

/** Resolves after the messages that are waiting now. A timer would take some milliseconds. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });

/** Returns the result, or null if `isWanted` was false after some step. `onStep` receives each step's value. */
export async function inTurns<Result, Step>(
  work: InSteps<Result, Step>,
  isWanted: () => boolean,
  onStep?: (step: Step) => void,
): Promise<Result | null> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    onStep?.(step.value);
    await turn();
    if (!isWanted()) return null;
  }
}
