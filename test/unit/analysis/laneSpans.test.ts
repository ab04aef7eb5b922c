import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LaneSpans } from '../../../core/explain/figures/laneSpans.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { runs } from '../../support/effort.ts';

/** Rows in order: the gap before each, and its duration. */
const rows = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 60 });

function laneOf(steps: readonly (readonly [gap: number, duration: number])[]) {
  const builder = new TraceBuilder();
  const lane = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  let at = 0;
  for (const [gap, durationNs] of steps) {
    at += gap;
    builder.add({ startNs: at, durationNs, lane, kind: 'host-call', name: 'call' });
    // A row without duration is before the next one, not in it.
    at += Math.max(durationNs, 1);
  }
  return builder.build();
}

it('rows within a window are those that looking at every row finds', () => {
  fc.assert(
    fc.property(rows, fc.nat(300), fc.nat(100), (steps, startNs, length) => {
      const trace = laneOf(steps);
      const all = Array.from({ length: trace.count }, (_, row) => row);
      const window = { startNs, endNs: startNs + length };
      const common = all.map((row) => {
        const [start, duration] = [trace.columns.startNs[row] ?? 0, trace.columns.durationNs[row] ?? 0];
        return Math.max(0, Math.min(start + duration, window.endNs) - Math.max(start, startNs));
      });
      const most = Math.max(0, ...common);
      expect(new LaneSpans(trace, all).within(window)).toEqual({
        count: common.filter((time) => time > 0).length,
        timeNs: common.reduce((sum, time) => sum + time, 0),
        longest: most === 0 ? null : { row: common.indexOf(most), timeNs: most },
      });
    }),
    { numRuns: runs(1000) },
  );
});
