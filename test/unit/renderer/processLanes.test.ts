/** Lanes of several processes: groups that are pinned, hidden and folded together, and lanes found by a text. */
import { expect, it } from 'vitest';
import { readRecording } from '../../../core/import/recorded/recording.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { IterationView } from '../../../renderer/store/opened/loadedRun.ts';
import { type Arrangement, naturalArrangement } from '../../../renderer/timeline/tracks/arrangement.ts';
import { laneActions } from '../../../renderer/timeline/tracks/laneActions.ts';
import { type Layout, layoutTracks } from '../../../renderer/timeline/tracks/layout.ts';
import { RecordingBytes, steps } from '../import/recorded/recordingBytes.ts';

const second = new RecordingBytes({ pid: 200 }).stack(1, 33);
second.call('cudaMemcpyAsync', 1000, 9000, { correlation: 1, role: 1, stack: 1, thread: 200 });
second.copy(2000, 8000, 1, 64);
second.call('cudaStreamSynchronize', 9000, 9500, { correlation: 2, role: 3, thread: 201 });
const run = readRecording([steps(2).bytes(), second.bytes()], {
  name: 'job',
  version: '1.2.3',
  modifiedAt: new Date(0),
});
const view = new IterationView(run, indexIteration(run.trace, 0));

const layoutOf = (change: Partial<Arrangement>): Layout =>
  layoutTracks(view, { height: 400, arrangement: { ...naturalArrangement, ...change } });
const names = ({ tracks }: Layout): string[] => tracks.map(({ name }) => name);

function act(layout: Layout, lane: string, id: string, arrangement: Arrangement = naturalArrangement): Layout {
  const row = layout.rows.find(({ name }) => name === lane);
  const action = row && laneActions(row, layout, arrangement).find((one) => one.id === id);
  if (action === undefined) throw new Error(`${lane} has no ${id}`);
  return layoutTracks(view, { height: 400, arrangement: action.next });
}

it('shows what the devices of a trace did above its host threads, which are as deep as its calls', () => {
  const kinds = layoutOf({}).tracks.map((track) => (track.kind === 'lane' ? track.lane.kind : track.kind));
  expect(kinds.lastIndexOf('copy-engine')).toBeLessThan(kinds.indexOf('host-thread'));
  expect(kinds.lastIndexOf('compute')).toBeLessThan(kinds.indexOf('host-thread'));
  expect(kinds.at(-1)).toBe('host-thread');
});

it('groups threads and streams by their process', () => {
  const groups = layoutOf({}).groups.filter(({ id }) => /^(host|streams)/.test(id));
  expect(groups.map(({ name, count }) => [name, count])).toEqual([
    ['Streams, process 100', 1],
    ['Streams, process 200', 1],
    ['Threads of process 100', 1],
    ['Threads of process 200', 2],
  ]);
});

it('folds, pins and hides the threads of one process, and leaves the others', () => {
  const natural = layoutOf({});
  const others = names(natural).filter((name) => !/^200 (main|thread)/.test(name));
  expect(names(act(natural, '200 main', 'hide-group'))).toEqual(others);
  const pinned = act(natural, '200 main', 'pin-group');
  expect(pinned.rows.filter((row) => row.pinned).map(({ name }) => name)).toEqual(['200 main', '200 thread 201']);
  const folded = act(natural, '200 main', 'fold');
  expect(folded.rows.map(({ name }) => name)).toContain('Threads of process 200');
  expect(names(folded).sort()).toEqual(names(natural).sort());
  expect(() => act(natural, '100 main', 'hide-group')).toThrow('has no hide-group');
});

it.each([
  ['', 9],
  ['200', 3],
  ['process 200', 3],
  ['main', 2],
  ['train.py:33', 3],
  ['gemm', 2],
  ['H2D engine', 1],
  ['gemm 200', 0],
  ['nothing like it', 0],
])('finds lanes by "%s"', (filter, count) => {
  expect(names(layoutOf({ filter }))).toHaveLength(count);
});
