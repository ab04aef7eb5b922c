import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hitTest } from '../../../renderer/timeline/lanes/hitTest.ts';
import { limitsOf } from '../../../renderer/timeline/time/timeView.ts';
import {
  type Arrangement,
  arrangementSchema,
  inOrder,
  isNatural,
  moveIds,
  naturalArrangement,
  withIds,
} from '../../../renderer/timeline/tracks/arrangement.ts';
import { laneActions, movedTo } from '../../../renderer/timeline/tracks/laneActions.ts';
import { layoutTracks } from '../../../renderer/timeline/tracks/layout.ts';
import { screenTop } from '../../../renderer/timeline/tracks/tracks.ts';
import { runs } from '../../support/effort.ts';
import { exampleView } from './exampleRun.ts';

const view = exampleView();
const layoutOf = (arrangement: Arrangement) => layoutTracks(view, { height: 400, arrangement });
const natural = layoutOf(naturalArrangement);
const all = natural.order;

const someIds = fc.subarray([...all, 'stream:gone']);
const arrangements: fc.Arbitrary<Arrangement> = fc.record({
  order: fc.shuffledSubarray([...all, 'stream:gone']),
  pinned: someIds,
  hidden: someIds,
  thin: someIds,
  folded: fc.subarray(['host', 'streams:gpu', 'engines:gpu', 'links', 'queues']),
  filter: fc.constant(''),
});

describe('an arrangement of lanes', () => {
  it('shows every lane that is not hidden once, stacked without gap or overlap, pinned ones first', () => {
    fc.assert(
      fc.property(arrangements, (arrangement) => {
        const { tracks, rows, hidden, pinnedHeight, height } = layoutOf(arrangement);
        expect([...tracks, ...hidden].map(({ id }) => id).sort()).toEqual([...all].sort());
        expect(hidden.every(({ id }) => arrangement.hidden.includes(id))).toBe(true);
        for (const list of [tracks, rows]) {
          const end = list.reduce((top, one) => {
            expect(one.top).toBe(top);
            return top + one.height;
          }, 0);
          expect(end).toBe(height);
        }
        for (const track of tracks) expect(track.top < pinnedHeight).toBe(track.pinned);
      }),
    );
  });

  it('finds under the pointer what is drawn there, whatever is pinned, hidden, folded and scrolled', () => {
    const shown = limitsOf(view.makespanNs);
    fc.assert(
      fc.property(arrangements, fc.nat({ max: 300 }), (arrangement, scrollTop) => {
        const { tracks, pinnedHeight } = layoutOf(arrangement);
        for (const track of tracks) {
          const y = screenTop(track, scrollTop) + track.height / 2;
          if (track.kind !== 'lane' || (!track.pinned && y < pinnedHeight)) continue;
          for (let x = 0; x < 800; x += 37) {
            const hit = hitTest(tracks, shown, 800, x, y, scrollTop);
            if (hit.kind !== 'row') continue;
            const { lane, engine } = view.run.trace.columns;
            expect([lane[hit.row], engine[hit.row]]).toContain(track.number);
          }
        }
      }),
    );
  });

  it('is gone when everything is taken back', () => {
    for (const as of ['pinned', 'hidden', 'thin', 'folded'] as const) {
      const changed = withIds(naturalArrangement, as, ['a', 'b'], true);
      expect(isNatural(changed)).toBe(false);
      expect(isNatural(withIds(changed, as, ['a', 'b'], false))).toBe(true);
    }
  });

  it('keeps a lane that it does not know behind its neighbour', () => {
    const moved = moveIds(naturalArrangement, ['a', 'b', 'd'], ['d'], 'a');
    expect(inOrder(['a', 'b', 'd'], moved)).toEqual(['d', 'a', 'b']);
    expect(inOrder(['a', 'b', 'c', 'd', 'e'], moved)).toEqual(['d', 'e', 'a', 'b', 'c']);
    expect(inOrder(['new', 'b'], moved)).toEqual(['new', 'b']);
  });

  it('moves a lane by one place with a key, and back', () => {
    fc.assert(
      fc.property(arrangements, fc.nat(), (arrangement, pick) => {
        const layout = layoutOf(arrangement);
        const row = layout.rows[pick % Math.max(layout.rows.length, 1)];
        const down = row === undefined ? undefined : actionOf(arrangement, row.id, 'down');
        if (row === undefined || down === undefined) return;
        const after = layoutOf(down.next);
        const names = (one: typeof layout): string[] => one.rows.map(({ id }) => id);
        const at = names(layout).indexOf(row.id);
        expect(names(after).indexOf(row.id)).toBe(at + 1);
        expect(names(layoutOf(actionOf(down.next, row.id, 'up')?.next ?? down.next))).toEqual(names(layout));
      }),
      { numRuns: runs(500) },
    );
  });

  it('pins a lane that is dropped among the pinned ones', () => {
    const pinned = layoutOf(withIds(naturalArrangement, 'pinned', ['compute:gpu'], true));
    const row = pinned.rows.find(({ id }) => id === 'stream:side');
    if (row === undefined) throw new Error('no row');
    const arrangement = withIds(naturalArrangement, 'pinned', ['compute:gpu'], true);
    const dropped = layoutOf(movedTo(row, pinned, arrangement, { pinned: true, index: 0 }));
    expect(dropped.rows.slice(0, 2).map(({ id, pinned }) => [id, pinned])).toEqual([
      ['stream:side', true],
      ['compute:gpu', true],
    ]);
  });

  it('that was stored is refused where it is anything else', () => {
    for (const bad of [7, null, { order: [1] }, { ...naturalArrangement, hidden: ['x'.repeat(500)] }]) {
      expect(arrangementSchema.safeParse(bad).success).toBe(false);
    }
  });
});

function actionOf(arrangement: Arrangement, row: string, id: string) {
  const layout = layoutOf(arrangement);
  const found = layout.rows.find((one) => one.id === row);
  return found === undefined ? undefined : laneActions(found, layout, arrangement).find((one) => one.id === id);
}
