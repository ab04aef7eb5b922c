/** Two windows write on one run: nothing that either wrote is lost, and both come to the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeNotes, parseRunNotes, type RunNote, runNotes, sameNotes } from '../../../core/trace/notes.ts';
import { runs } from '../../support/effort.ts';

const note = (id: string, text = ''): RunNote => ({ id, iteration: 0, startNs: 1, endNs: 2, row: null, text });

const text = fc.string({ maxLength: 8 });
const list = fc.uniqueArray(
  fc
    .record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'a-2', 'e'.repeat(40)), text })
    .map((one) => note(one.id, one.text)),
  { selector: ({ id }) => id, maxLength: 5 },
);
const texts = (notes: readonly RunNote[]): string[] => notes.map((one) => one.text).sort();

describe('notes of two windows', () => {
  it.each([
    ['both add', [], [note('a')], [note('b')], ['b', 'a']],
    ['one writes', [note('a'), note('b')], [note('a', ' x'), note('b')], [note('a'), note('b')], ['a x', 'b']],
    ['one deletes', [note('a'), note('b')], [note('b')], [note('a'), note('b')], ['b']],
    ['one deletes what the other writes', [note('a')], [], [note('a', ' x')], ['a x']],
    ['one writes what the other deletes', [note('a')], [note('a', ' x')], [], ['a x']],
    ['both delete', [note('a')], [], [], []],
    ['both write the same', [note('a')], [note('a', ' x')], [note('a', ' x')], ['a x']],
    ['both write on one', [note('a')], [note('a', ' mine')], [note('a', ' theirs')], ['a theirs', 'a-2 mine']],
    [
      'both write on one, and the next id is taken',
      [note('a')],
      [note('a', ' mine')],
      [note('a', ' theirs'), note('a-2')],
      ['a theirs', 'a-3 mine', 'a-2'],
    ],
  ])('%s', (_what, base, mine, theirs, merged) => {
    expect(mergeNotes(base, mine, theirs).map((one) => one.id + one.text)).toEqual(merged);
  });

  it('are put together without loss, and as notes that can be kept', () => {
    fc.assert(
      fc.property(list, list, list, (base, mine, theirs) => {
        const merged = mergeNotes(base, mine, theirs);
        expect(parseRunNotes(JSON.stringify(runNotes(merged))).notes).toEqual(merged);
        const written = [...mine, ...theirs].filter((one) => !base.some((old) => sameNotes([old], [one])));
        for (const one of written) expect(texts(merged)).toContain(one.text);
        expect(texts(mergeNotes(base, theirs, mine))).toEqual(texts(merged));
        expect(sameNotes(mergeNotes(base, base, theirs), theirs)).toBe(true);
        expect(sameNotes(mergeNotes(base, mine, base), mine)).toBe(true);
      }),
    );
  });

  it('come to the same in both windows and on the host, in whatever order they write, save and hear', () => {
    const action = fc.oneof(
      fc.record({ window: fc.nat(2), do: fc.constant('write' as const), notes: list }),
      fc.record({ window: fc.nat(2), do: fc.constantFrom('save' as const, 'hear' as const) }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        let kept: readonly RunNote[] = [];
        const windows = [0, 1, 2].map((by) => ({
          by,
          base: [] as readonly RunNote[],
          notes: [] as readonly RunNote[],
          told: [] as { notes: readonly RunNote[]; by: number }[],
        }));
        const hear = (window: (typeof windows)[number]): void => {
          const news = window.told.shift();
          if (news === undefined) return;
          if (news.by !== window.by) window.notes = mergeNotes(window.base, window.notes, news.notes);
          window.base = news.notes;
        };
        /** A window saves one change after the other: it has heard of the last. */
        const save = (window: (typeof windows)[number]): void => {
          while (window.told.some(({ by }) => by === window.by)) hear(window);
          if (sameNotes(window.notes, window.base)) return;
          kept = mergeNotes(window.base, window.notes, kept);
          for (const other of windows) other.told.push({ notes: kept, by: window.by });
        };
        for (const step of actions) {
          const window = windows[step.window];
          if (window === undefined) continue;
          if (step.do === 'write') window.notes = step.notes;
          else if (step.do === 'save') save(window);
          else hear(window);
        }
        for (let round = 0; round < 10; round += 1) {
          for (const window of windows) {
            while (window.told.length > 0) hear(window);
            save(window);
          }
        }
        for (const window of windows) expect(sameNotes(window.notes, kept)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});
