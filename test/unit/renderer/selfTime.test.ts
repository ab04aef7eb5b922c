import { expect, it } from 'vitest';
import { selfTimes } from '../../../core/explain/figures/selfTime.ts';
import { iterationRows } from '../../../core/trace/rows.ts';
import { drawTrace } from '../support/draw.ts';

it('a range takes itself what the calls within it leave, and a call all of its own time', () => {
  const trace = drawTrace({
    rows: { R: { kind: 'host-range', name: 'step' }, c: { kind: 'host-call', op: 0 } },
    lanes: ['thread:main RRRRRRRRRR', 'thread:main ..ccc.cc..'],
  });
  const range = iterationRows(trace, 0);
  expect([...selfTimes(trace, range, 0, 10_000)]).toEqual([5000, 3000, 2000]);
  expect([...selfTimes(trace, range, 3000, 10_000)]).toEqual([3000, 2000, 2000]);
});
