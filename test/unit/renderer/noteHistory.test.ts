import { describe, expect, it } from 'vitest';
import type { RunNote } from '../../../core/trace/notes.ts';
import { NoteHistory } from '../../../renderer/timeline/notes/noteHistory.ts';

const note = (id: string, text = ''): RunNote => ({ id, iteration: 0, startNs: 1, endNs: 2, row: null, text });
const ids = (history: NoteHistory): string[] => history.notes.map(({ id, text }) => id + text);

describe('a history of notes', () => {
  it('goes on with a step instead of making another', () => {
    const history = new NoteHistory([note('a')]);
    history.push('Write a note', [note('a', ' H')]);
    history.amend([note('a', ' Ha')]);
    history.amend([note('a', ' Halt')]);
    expect(history.travel('undo')).toBe('Write a note');
    expect(ids(history)).toEqual(['a']);
    expect(history.travel('undo')).toBeNull();
    expect(history.travel('redo')).toBe('Write a note');
    expect(ids(history)).toEqual(['a Halt']);
  });

  it('takes a step back for good', () => {
    const history = new NoteHistory([]);
    history.push('Mark', [note('a')]);
    history.push('Write a note', [note('a', ' x')]);
    history.withdraw();
    expect(ids(history)).toEqual(['a']);
    expect(history.travel('redo')).toBeNull();
    expect(history.travel('undo')).toBe('Mark');
  });
});
