import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { indexLane } from '../../../core/trace/laneIndex.ts';
import { allRows } from '../../../core/trace/rows.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import type { Frame } from '../../../renderer/timeline/painting/frame.ts';
import { FrameMaker } from '../../../renderer/timeline/painting/frameMaker.ts';
import type { TimeView } from '../../../renderer/timeline/time/timeView.ts';
import type { LaneTrack } from '../../../renderer/timeline/tracks/tracks.ts';
import { runs } from '../../support/effort.ts';

const width = 60;
const barHeight = 20;

interface Span {
  readonly gap: number;
  readonly length: number;
}

function traceOf(spans: readonly Span[]): Trace {
  const builder = new TraceBuilder();
  const lane = builder.lane({ kind: 'stream', id: 'stream:s', name: 's', device: 'gpu' });
  let at = 0;
  for (const { gap, length } of spans) {
    at += gap;
    builder.add({ startNs: at, durationNs: length, lane, kind: length > 40 ? 'kernel' : 'memset', name: 'x' });
    at += length;
  }
  return builder.build();
}

function trackOf(trace: Trace): LaneTrack {
  const [lane] = trace.lanes;
  if (lane === undefined) throw new Error('no lane');
  const index = indexLane(trace, 0, allRows(trace));
  const place = { top: 0, height: 40, padding: 4, pinned: false, edge: true, markStrip: 0, barHeight };
  return { kind: 'lane', id: lane.id, name: lane.name, detail: '', lane, number: 0, index, ...place };
}

const frameOf = (trace: Trace, track: LaneTrack, view: TimeView): Frame =>
  new FrameMaker().make({
    trace,
    tracks: [track],
    view,
    ticks: { ticks: [], stepNs: 1, anchorLabel: null },
    width,
    height: 40,
    scrollTop: 0,
    selectedRow: null,
    selectedOp: null,
    flows: [],
    evidence: [],
    hazards: new Set(),
    missed: new Set(),
    found: null,
    tones: null,
    notes: [],
    area: null,
    labelOf: () => '',
  });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const fills = (frame: Frame): number =>
  sum(frame.batches.flatMap(({ fills }) => fills.all().map((box) => box.width * box.height))) / barHeight;
const bars = (frame: Frame) => frame.batches.flatMap((batch) => batch.bars.all());

const span = fc.record({ gap: fc.nat({ max: 30 }), length: fc.integer({ min: 1, max: 50 }) });
const spans = fc.array(span, { minLength: 1, maxLength: 400, size: 'max' });
it('the busy share that is painted is the true one where every row is narrower than a pixel', () => {
  const far = fc
    .record({ from: fc.integer({ min: -5000, max: 8000 }), span: fc.integer({ min: 51 * width, max: 40_000 }) })
    .map(({ from, span }) => ({ startNs: from, endNs: from + span }));
  fc.assert(
    fc.property(spans, far, (list, view) => {
      const trace = traceOf(list);
      const track = trackOf(trace);
      const frame = frameOf(trace, track, view);
      const pixelNs = (view.endNs - view.startNs) / width;
      expect(bars(frame)).toEqual([]);
      // Boxes are stored in single precision.
      expect(fills(frame) * pixelNs).toBeCloseTo(track.index.busyNs(0, view.startNs, view.endNs), 0);
    }),
    { numRuns: runs(300) },
  );
});
