/** Work in steps: it has the same result at once and in turns, between which messages arrive that can cancel it. */
import { expect, it } from 'vitest';
import { atOnce, type InSteps } from '../../../core/steps.ts';
import { inTurns } from '../../../renderer/common/scheduling.ts';

/** Counts to four, and returns how far it came. */
function* counting(seen: number[] = []): InSteps<string, number> {
  for (const step of [1, 2, 3]) {
    seen.push(step);
    yield step;
  }
  seen.push(4);
  return 'four';
}

const always = () => true;

it('gives at once and in turns the same', async () => {
  const [once, turns]: number[][] = [[], []];
  expect(atOnce(counting(once))).toBe('four');
  expect(await inTurns(counting(turns), always)).toBe('four');
  expect([once, turns]).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
});

it('lets in what has come between two steps', async () => {
  let steps = 0;
  function* long(): InSteps<void> {
    // Node delivers up to a thousand messages of one channel before those of another.
    while (steps < 5000) {
      steps += 1;
      yield;
    }
  }
  const { port1, port2 } = new MessageChannel();
  const stepsThen = new Promise<number>((resolve) => {
    port1.onmessage = () => resolve(steps);
  });
  // The message is sent before the first step ends.
  port2.postMessage(null);
  await inTurns(long(), always);
  expect(await stepsThen).toBeLessThan(5000);
  port1.close();
});

it('does nothing more of what is not wanted any more', async () => {
  const seen: number[] = [];
  expect(await inTurns(counting(seen), () => seen.length < 2)).toBeNull();
  expect(seen).toEqual([1, 2]);
});
