/** A short soak of test/gpu/soak.ts on the CPU engine: random faults, and no leaked memory. */
import { expect, test } from 'vitest';
import { loadNative } from '../../native/index.ts';
import { randomFrom, soakOnce } from '../gpu/soakRuns.ts';
import { runs } from '../support/effort.ts';
import { collect } from './collect.ts';
import { describeNative } from './support.ts';

/** 300 by default, 3,000 in `npm run test:deep`. */
const count = runs(3000);
const MB = 1e6;

/** Returns resident bytes after a garbage collection. */
function residentBytes(): number {
  collect();
  return process.memoryUsage.rss();
}

describeNative('a soak', () => {
  test(`${count} runs with random faults end as they should and leave no memory behind`, async () => {
    const engine = loadNative().engine('cpu');
    const random = randomFrom(20_261_120);
    const counts = new Map<string, number>();
    const held: number[] = [];
    for (let run = 0; run < count; run += 1) {
      const name = await soakOnce(engine, random);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (run >= 100 && run % 10 === 0) held.push(residentBytes());
    }
    // Every kind of fault occurred.
    expect([...counts.keys()].sort()).toEqual([
      'cancelled',
      'complete',
      'device memory',
      'many tensors',
      'many tensors cancelled',
      'pinned memory',
      'spin cancelled',
      'wrong program',
    ]);
    // The least of the first and the last five: a heap that has just grown is no leak. A run takes 0.4 MB on average.
    const [first, last] = [Math.min(...held.slice(0, 5)), Math.min(...held.slice(-5))];
    expect(last - first).toBeLessThan(24 * MB);
  });
});
