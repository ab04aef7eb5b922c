import { expect, it } from 'vitest';
import { deviceIdle } from '../../../core/explain/figures/idleCauses.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { drawTrace } from '../support/draw.ts';

it('names what the host did while the device was idle: a data loader before the calls within it, and what is neither', () => {
  const trace = drawTrace({
    rows: {
      L: { kind: 'host-range', name: 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' },
      c: { kind: 'host-call', op: 0 },
      s: { kind: 'host-sync', op: 1 },
      K: { kind: 'kernel', op: 2, engine: 'compute' },
    },
    lanes: ['thread:main ..LLLL.cc.sss', 'thread:main ....c........', 'stream:default KK.........KK'],
  });
  expect(deviceIdle(iterationOf(trace, 0))).toEqual([
    { device: 'gpu', causes: { loading: 4000, working: 0, held: 0, waiting: 1000, issuing: 2000, other: 2000 } },
  ]);
});
