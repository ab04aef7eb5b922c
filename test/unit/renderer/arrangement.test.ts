import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hitTest } from '../../../renderer/timeline/lanes/hitTest.ts';
import { limitsOf } from '../../../renderer/timeline/time/timeView.ts';
import { type Arrangement, naturalArrangement } from '../../../renderer/timeline/tracks/arrangement.ts';
import { layoutTracks } from '../../../renderer/timeline/tracks/layout.ts';
import { screenTop } from '../../../renderer/timeline/tracks/tracks.ts';
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
});
