import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireArguments } from '../../../core/service/requests.ts';
import { libraryItems } from '../../../core/service/service.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { maxNotesBytes, mostNotes, parseRunNotes, type RunNote, runNotes } from '../../../core/trace/notes.ts';
import { NoteStore } from '../../../host/library/noteStore.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importedRun } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';

const note = (changes: Partial<RunNote> = {}): RunNote => ({
  id: 'n1',
  iteration: 0,
  startNs: 10,
  endNs: 20,
  row: null,
  text: 'Here the copy waits.',
  ...changes,
});

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

describe('notes', () => {
  it('come back from their file as they were written, whatever was written', () => {
    const arbitrary = fc.record({
      id: fc.uuid(),
      iteration: fc.nat(),
      startNs: fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
      row: fc.option(fc.nat()),
      text: fc.string({ unit: 'binary', maxLength: 40 }),
    });
    const lists = fc.uniqueArray(arbitrary, { selector: ({ id }) => id, maxLength: 20 });
    fc.assert(
      fc.property(lists, (list) => {
        const notes = runNotes(list.map((one) => ({ ...one, endNs: one.startNs + 5 })));
        expect(parseRunNotes(JSON.stringify(notes))).toEqual(notes);
        const change = notesChange(notes.notes);
        expect(requireArguments('saveNotes', ['run', change])).toEqual(['run', change]);
      }),
    );
  });

  it.each([
    ['cut off', '{"format": "copyscope/notes", "ver', 'notes'],
    ['no object', '7', 'notes'],
    ['of a newer version', JSON.stringify({ ...runNotes(), version: 2 }), 'version'],
    ['too many', JSON.stringify(runNotes(Array(mostNotes + 1).fill(note()))), 'notes'],
    ['ending before they start', JSON.stringify(runNotes([note({ startNs: 30 })])), 'notes[0].endNs'],
    ['of one id', JSON.stringify(runNotes([note(), note()])), 'notes'],
    ['endless', JSON.stringify(runNotes([note({ text: 'x'.repeat(3000) })])), 'notes[0].text'],
    ['beside something unknown', `{"__proto__": {"a": 1}, ${JSON.stringify(runNotes()).slice(1)}`, 'notes'],
  ])('that are %s are refused with the field', (_name, text, field) => {
    expect(() => parseRunNotes(text)).toThrow(expect.objectContaining({ code: 'notes.invalid', field }));
  });
});

describe('the note store', () => {
  it('has none of a run without, keeps some, and leaves no file when the last is gone', async () => {
    const store = new NoteStore(join(folder, 'notes'));
    expect(await store.read('imported/a')).toEqual(runNotes());
    await store.save('imported/a', runNotes([note()]));
    expect(await new NoteStore(join(folder, 'notes')).read('imported/a')).toEqual(runNotes([note()]));
    await store.save('imported/a', runNotes());
    expect(readdirSync(join(folder, 'notes/imported'))).toEqual([]);
  });

  it.each([
    ['cut off', '{"format"'],
    ['too large', 'x'.repeat(maxNotesBytes + 1)],
  ])('sets a file that is %s aside with the first new note', async (_name, content) => {
    const path = join(folder, 'notes/a.json');
    mkdirSync(dirname(path));
    writeFileSync(path, content);
    const store = new NoteStore(join(folder, 'notes'));
    await expect(store.read('a')).rejects.toMatchObject({ code: expect.stringMatching(/^notes|^file/) });
    await store.save('a', runNotes([note()]));
    expect(await store.read('a')).toEqual(runNotes([note()]));
    expect(existsSync(`${path}.damaged`)).toBe(true);
  });
});

describe('the notes on a run', () => {
  let host: Host;
  beforeEach(() => {
    host = hostOf(folder);
  });
  afterEach(() => host.close());

  it('the notes that a window saves last replace those of others, exist only for an existing run, and are deleted with it', async () => {
    const { id } = await importedRun(host.service, 'a.arrow', encodeRun(smallRun(example(), 'cpu')));
    await host.service.saveNotes(id, notesChange([note()]));
    expect(await host.service.readNotes(id)).toEqual(runNotes([note()]));
    const told = toldWindow();
    host.addWindow(told);
    const second = note({ id: 'second', text: 'of another window' });
    await host.service.saveNotes(id, notesChange([second]));
    expect(await host.service.readNotes(id)).toEqual(runNotes([second]));
    // Every window receives the current notes, and the author of the change.
    const { by } = notesChange([]);
    expect(told.notesChanged).toHaveBeenCalledExactlyOnceWith(id, runNotes([second]), by);
    await expect(host.service.saveNotes('imported/b', notesChange([]))).rejects.toMatchObject({
      code: 'run.not-found',
    });
    await host.service.deleteItems(libraryItems({ runs: [id] }));
    expect(await host.service.readNotes(id)).toEqual(runNotes());
  });
});
