import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verdicts as verdictsOf } from '../../../core/explain/verdicts/verdicts.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { areaSummary } from '../../../renderer/inspector/AreaDetails.tsx';
import { evidenceRows } from '../../../renderer/timeline/lanes/evidence.ts';
import { hitTest } from '../../../renderer/timeline/lanes/hitTest.ts';
import type { Frame } from '../../../renderer/timeline/painting/frame.ts';
import { FrameMaker } from '../../../renderer/timeline/painting/frameMaker.ts';
import { areaTable } from '../../../renderer/timeline/rows/areaTable.ts';
import { operationLabels, rowTitle } from '../../../renderer/timeline/rows/describeRow.ts';
import { acrossLanes, alongLane, firstRow } from '../../../renderer/timeline/rows/neighbours.ts';
import { findRows } from '../../../renderer/timeline/rows/search.ts';
import { timeTicks } from '../../../renderer/timeline/time/ticks.ts';
import { limitsOf, type TimeView, toPixels } from '../../../renderer/timeline/time/timeView.ts';
import { layoutTracks } from '../../../renderer/timeline/tracks/layout.ts';
import { barOffset, type LaneTrack, type Track } from '../../../renderer/timeline/tracks/tracks.ts';
import { exampleView, experiment, MiB } from './exampleRun.ts';

const view = exampleView();
const { trace } = view.run;
const width = 800;
const everything = limitsOf(view.makespanNs);
const labels = operationLabels(experiment);
const { tracks } = layoutTracks(view, { height: 400 });
const barTop = (track: LaneTrack, depth: number): number => track.top + barOffset(track, depth);
const [call, copy, launch, kernel, mark, sync] = [0, 1, 2, 3, 4, 5];

function frameOf(
  shown: TimeView = everything,
  selectedRow: number | null = null,
  on: readonly Track[] = tracks,
  evidence: readonly number[] = [],
): Frame {
  return new FrameMaker().make({
    trace,
    tracks: on,
    view: shown,
    ticks: timeTicks(shown, width),
    width,
    height: 600,
    scrollTop: 0,
    selectedRow,
    selectedOp: null,
    area: null,
    flows: selectedRow === null ? [] : view.flows(selectedRow),
    evidence,
    hazards: new Set(),
    missed: new Set(),
    found: null,
    tones: null,
    notes: [],
    labelOf: (row) => rowTitle(trace, row, labels),
  });
}

const lane = (id: string) => {
  const found = tracks.find((track) => track.id === id);
  if (found?.kind !== 'lane') throw new Error(`no lane ${id}`);
  return found;
};

const verdicts = verdictsOf(iterationOf(trace, 0), experiment);
const { run } = view;

it('the rows behind a verdict are marked with the copy, in whatever way that is selected', () => {
  expect(verdicts).toMatchObject([{ op: 0, cause: 'overlapped' }]);
  expect(evidenceRows({ run, verdicts }, view, null, 0)).toEqual([kernel, launch]);
  expect(evidenceRows({ run, verdicts }, view, copy, null)).toEqual([kernel, launch]);
  expect(frameOf(everything, null, tracks, [kernel]).joined).toEqual(frameOf(everything, kernel).selected);
});

describe('tracks', () => {
  it('orders host threads, streams, engines and compute, then the link and the queues', () => {
    expect(tracks.map((track) => track.id)).toEqual([
      'thread:main',
      'stream:side',
      'stream:legacy',
      'engine:gpu:h2d',
      'compute:gpu',
      'link:h2d',
      'queue:stream:side',
      'queue:stream:legacy',
    ]);
  });

  it('leaves out streams and the link in a comparison', () => {
    const compact = layoutTracks(view, { height: 100, compact: true });
    expect(compact.tracks.map((track) => track.id)).toEqual(['thread:main', 'engine:gpu:h2d', 'compute:gpu']);
  });

  it('has one order of lanes at every height if kernels must stay in sight', () => {
    const orders = [30, 60, 100, 400].map((height) => {
      const { tracks } = layoutTracks(view, { height, compact: true, keepsCompute: true });
      return tracks.map(({ id }) => id).join(' ');
    });
    expect(new Set(orders)).toEqual(new Set(['compute:gpu thread:main engine:gpu:h2d']));
  });
});

describe('a frame', () => {
  it('draws a copy on its stream and on its engine, where its time says', () => {
    const batch = frameOf().batches.find(({ paint }) => paint === 'h2d');
    const [onStream, onEngine, ...more] = batch?.bars.all() ?? [];
    expect(more).toEqual([]);
    expect(onStream?.x).toBeCloseTo(toPixels(everything, width, 6000), -0.5);
    expect((onStream?.x ?? 0) + (onStream?.width ?? 0)).toBeCloseTo(toPixels(everything, width, 406_000), -0.5);
    expect(onStream?.y).toBe(barTop(lane('stream:side'), 0));
    expect(onEngine?.y).toBe(barTop(lane('engine:gpu:h2d'), 0));
  });

  it('outlines what is selected wherever it is drawn, and joins it with the call that issued it', () => {
    const frame = frameOf(everything, copy);
    expect(frame.selected.length).toBe(2);
    expect(frame.joined.length).toBe(1);
    expect(frame.joined[0]?.y).toBe(barTop(lane('thread:main'), 0));
    expect(frame.arrows.issues.length).toBe(4);
  });
});

describe('hit test', () => {
  const at = (timeNs: number, y: number) => hitTest(tracks, everything, width, toPixels(everything, width, timeNs), y);

  it('finds a mark in its strip, and nothing in empty space', () => {
    expect(at(60_500, lane('stream:legacy').top + 5)).toMatchObject({ kind: 'row', row: mark });
    expect(at(300_000, barTop(lane('compute:gpu'), 0) + 4)).toMatchObject({ kind: 'none' });
    expect(at(300_000, 10_000)).toMatchObject({ kind: 'none' });
  });

  it('finds every row at any zoom', () => {
    fc.assert(
      fc.property(fc.nat(trace.count - 1), fc.double({ min: 0.001, max: 1, noNaN: true }), (row, zoom) => {
        const start = trace.columns.startNs[row] ?? 0;
        const duration = trace.columns.durationNs[row] ?? 0;
        const middle = start + duration / 2;
        const span = (everything.endNs - everything.startNs) * zoom;
        const shown = { startNs: middle - span / 2, endNs: middle + span / 2 };
        const track = tracks.find((one) => one.kind === 'lane' && one.number === trace.columns.lane[row]);
        if (track?.kind !== 'lane') throw new Error('no track');
        const y = duration === 0 ? track.top + 4 : barTop(track, 0) + 4;
        expect(hitTest(tracks, shown, width, width / 2, y)).toMatchObject({ kind: 'row', row });
      }),
    );
  });
});

describe('neighbours', () => {
  it('goes along a lane in order of start, and stops at its ends', () => {
    expect(alongLane(trace, view.rows, call, 1)).toBe(launch);
    expect(alongLane(trace, view.rows, launch, 1)).toBe(sync);
    expect(alongLane(trace, view.rows, sync, 1)).toBeNull();
    expect(alongLane(trace, view.rows, call, -1)).toBeNull();
  });

  it('goes to the nearest row of the lane above or below', () => {
    expect(acrossLanes(trace, view.rows, sync, 1, [0, 1, 2])).toBe(copy);
    expect(acrossLanes(trace, view.rows, copy, 1, [0, 1, 2])).toBe(kernel);
    expect(acrossLanes(trace, view.rows, call, -1, [0, 1, 2])).toBeNull();
    expect(firstRow(trace, view.rows, [1, 0])).toBe(copy);
  });
});

describe('search', () => {
  it('goes from match to match, and from the last one to the first', () => {
    const copies = findRows(trace, view.rows, 'memcpy', labels);
    const found = Array.from({ length: copies.count }, (_, step) => step).reduce<number[]>(
      (rows) => [...rows, copies.next(rows.at(-1) ?? null, 1) ?? -1],
      [],
    );
    expect(found).toContain(call);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(copies.next(found.at(-1) ?? null, 1)).toBe(found[0]);
    expect(copies.next(found[0] ?? null, -1)).toBe(found.at(-1));
  });

  it('finds an operation by its name in the experiment, and nothing for an empty search', () => {
    expect(findRows(trace, view.rows, 'PASSES multiply', labels).next(null, 1)).not.toBeNull();
    expect(findRows(trace, view.rows, '', labels).count).toBe(0);
    expect(findRows(trace, view.rows, 'no such thing', labels).next(null, 1)).toBeNull();
  });
});

describe('the table of a stretch of time', () => {
  const table = areaTable(view, 6000, 206_000);

  it('counts the part within the stretch, its bytes and its overlap', () => {
    const copies = table.find((row) => row.paint === 'h2d');
    expect(copies).toMatchObject({ count: 1, totalNs: 200_000, meanNs: 200_000, bytes: 10 * MiB });
    expect(copies?.bytesPerSecond).toBeCloseTo(((10 * MiB) / 200_000) * 1e9);
    expect(copies?.overlapped).toBeCloseTo(0.2);
    expect(table.find((row) => row.paint === 'kernel')).toMatchObject({ totalNs: 40_000, overlapped: 1 });
    expect(table.find((row) => row.paint === 'host-sync')?.overlapped).toBeNull();
  });

  it('tells what each name took itself, its share, and the least, median and greatest', () => {
    const whole = areaTable(view, 0, view.makespanNs);
    const of = (paint: string) => whole.find((row) => row.paint === paint);
    const took = trace.columns.durationNs[copy] ?? 0;
    expect(of('h2d')).toMatchObject({ leastNs: took, medianNs: took, greatestNs: took, longest: copy });
    expect(of('h2d')?.share).toBeCloseTo(took / view.makespanNs);
    const total = whole.reduce((sum, { selfNs }) => sum + selfNs, 0);
    expect(total).toBeLessThanOrEqual(whole.reduce((sum, { totalNs }) => sum + totalNs, 0));
    expect(of('kernel')?.selfNs).toBe(of('kernel')?.totalNs);
  });
});

it('a search in quotes finds exactly one name', () => {
  const found = (query: string) => [...findRows(trace, view.rows, query, labels).rows];
  const name = trace.names[trace.columns.name[call] ?? 0] ?? '';
  expect(found(`"${name}"`)).toContain(call);
  expect(found(`"${name.slice(0, -1)}"`)).toEqual([]);
  expect(found(name.slice(0, -1))).toContain(call);
});

it('a stretch of time tells how busy each lane was in it and what moved', () => {
  const summary = areaSummary(view, 6000, 206_000);
  expect(summary.moved).toEqual([{ direction: 'h2d', bytes: 10 * MiB }]);
  const busy = new Map(summary.lanes.map(({ id, busyNs }) => [id, busyNs]));
  expect(busy.get('stream:side')).toBe(200_000);
  expect(busy.get('compute:gpu')).toBe(40_000);
  expect(busy.get('thread:main')).toBe(6000 + 136_000);
});
