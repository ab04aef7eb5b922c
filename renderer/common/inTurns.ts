/** Work in steps that takes turns with the messages that come in the meantime. */
import type { InSteps } from '../../core/steps.ts';

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()?.();

/** Behind the messages that are there by now. A timer would wait for some milliseconds. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });

/** Null where the work was given up, since after some step it was not `wanted` any more. `onStep` hears what each step told. */
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
