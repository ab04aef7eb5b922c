import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { indexLane } from '../../../core/trace/laneIndex.ts';
import { allRows } from '../../../core/trace/rows.ts';
import { busyColumns } from '../../../renderer/timeline/minimap/overview.ts';
import { limitsOf } from '../../../renderer/timeline/time/timeView.ts';

const spans = fc.array(fc.record({ gap: fc.nat({ max: 30 }), length: fc.integer({ min: 1, max: 900 }) }), {
  minLength: 1,
  maxLength: 300,
});

it('the minimap is as busy as the lane is, at any width', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: 1, max: 200 }), (list, columns) => {
      const builder = new TraceBuilder();
      const lane = builder.lane({ kind: 'stream', id: 'stream:s', name: 's', device: 'gpu' });
      let at = 0;
      for (const { gap, length } of list) {
        builder.add({ startNs: at + gap, durationNs: length, lane, kind: 'kernel', name: 'k' });
        at += gap + length;
      }
      const trace = builder.build();
      const shown = limitsOf(at);
      const index = indexLane(trace, 0, allRows(trace));
      const { shares } = busyColumns(index, () => 0, shown, columns);
      const busyNs = shares.reduce((sum, share) => sum + share, 0) * ((shown.endNs - shown.startNs) / columns);
      const truth = list.reduce((sum, { length }) => sum + length, 0);
      // A block's busy time is spread over it, so a full column may lose time to its neighbour.
      expect(Math.abs(busyNs - truth) / truth).toBeLessThan(0.01);
    }),
  );
});
