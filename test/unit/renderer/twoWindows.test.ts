/// <reference types="vite/client" />
/** The notes of two windows on one run, with the host's own store between them: each window is loaded for itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HostService, WindowEvents } from '../../../core/service/service.ts';
import { NoteStore } from '../../../host/service/noteStore.ts';
import { eventually } from '../support/eventually.ts';

const run = 'imported/a';
let folder: string;
let store: NoteStore;
let windows: WindowEvents[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-notes-'));
  store = new NoteStore(folder);
  windows = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const service = {
  readNotes: (id: string) => store.read(id),
  saveNotes: async (id, { notes, base, by }) => {
    const merged = await store.merge(id, base, notes);
    for (const window of windows) window.notesChanged(id, merged, by);
  },
} satisfies Partial<HostService>;

async function open() {
  vi.resetModules();
  const actions = {
    ...(await import('../../../renderer/store/host.ts')),
    ...(await import('../../../renderer/store/hostEvents.ts')),
  };
  const notes = {
    ...(await import('../../../renderer/timeline/notes/noteState.ts')),
    ...(await import('../../../renderer/timeline/notes/noteChanges.ts')),
    ...(await import('../../../renderer/timeline/notes/noteWords.ts')),
    ...(await import('../../../renderer/timeline/notes/noteReads.ts')),
  };
  const gate: { held: (() => void)[] | null } = { held: null };
  const wait = (): Promise<void> =>
    gate.held === null ? Promise.resolve() : new Promise((pass) => void gate.held?.push(pass));
  // What a window sends and hears waits while its line is held, in its order.
  const held: Partial<HostService> = {
    readNotes: (id) => wait().then(() => service.readNotes(id)),
    saveNotes: (id, change) => wait().then(() => service.saveNotes(id, change)),
  };
  actions.setService(held as HostService);
  windows.push({
    ...actions.windowEvents,
    notesChanged: (...change) => {
      if (gate.held === null) actions.windowEvents.notesChanged(...change);
      else gate.held.push(() => actions.windowEvents.notesChanged(...change));
    },
  });
  await notes.ensureNotes(run);
  return {
    ...notes,
    texts: () => notes.notesOf(run).notes.map(({ text }) => text),
    hold: () => {
      gate.held = [];
    },
    release: () => {
      const passed = gate.held ?? [];
      gate.held = null;
      for (const pass of passed) pass();
    },
  };
}

type Opened = Awaited<ReturnType<typeof open>>;
const place = (startNs: number) => ({ iteration: 0, startNs, endNs: startNs, row: null, text: '' });

/** Writes a note as a person does: a mark, then its words. */
function write(window: Opened, startNs: number, text: string): string {
  const id = window.addNote(run, place(startNs))?.id ?? '';
  window.editNote(run, id);
  window.typeWords(run, id, text);
  window.endWords(run, true);
  return id;
}

const keptTexts = async (): Promise<string[]> => (await store.read(run)).notes.map(({ text }) => text).sort();

it('each shows what the other writes, and undoes only its own', async () => {
  const [first, second] = [await open(), await open()];
  write(first, 1, 'one');
  await eventually(() => expect(second.texts()).toEqual(['one']));
  write(second, 2, 'two');
  await eventually(() => expect(first.texts()).toEqual(['one', 'two']));
  expect(first.travelNotes(run, 'undo')).toBe(true);
  expect(first.texts()).toEqual(['', 'two']);
  expect(first.travelNotes(run, 'undo')).toBe(true);
  expect(first.travelNotes(run, 'undo')).toBe(false);
  await eventually(() => expect(second.texts()).toEqual(['two']));
  expect(first.travelNotes(run, 'redo')).toBe(true);
  expect(first.travelNotes(run, 'redo')).toBe(true);
  await eventually(() => expect(second.texts()).toEqual(['one', 'two']));
  await eventually(async () => expect(await keptTexts()).toEqual(['one', 'two']));
});

it('what both write at once is kept by both', async () => {
  const [first, second] = [await open(), await open()];
  for (const [index, window] of [first, second, first, second].entries()) write(window, index, `note ${index}`);
  const all = ['note 0', 'note 1', 'note 2', 'note 3'];
  await eventually(() => expect(first.texts()).toEqual(all));
  await eventually(() => expect(second.texts()).toEqual(all));
  expect(await keptTexts()).toEqual(all);
});

it('one note that both write is there twice, and each goes on with its own words', async () => {
  const [first, second] = [await open(), await open()];
  const id = write(first, 1, '');
  await eventually(() => expect(second.texts()).toEqual(['']));
  second.hold();
  second.editNote(run, id);
  second.typeWords(run, id, 'of the second');
  first.typeWords(run, id, 'of the first');
  first.endWords(run, true);
  await eventually(async () => expect(await keptTexts()).toEqual(['of the first']));
  second.release();
  const both = ['of the first', 'of the second'];
  await eventually(() => expect(first.texts().sort()).toEqual(both));
  await eventually(() => expect(second.texts().sort()).toEqual(both));
  // What is being written is the second's own note now.
  const { editing, notes } = second.notesOf(run);
  expect(notes.find((note) => note.id === editing)?.text).toBe('of the second');
  second.typeWords(run, editing ?? '', 'of the second, longer');
  second.endWords(run, true);
  await eventually(() => expect(first.texts().sort()).toEqual(['of the first', 'of the second, longer']));
});

it('words are saved while they are written, as one step, and Esc takes them back everywhere', async () => {
  const [first, second] = [await open(), await open()];
  const id = write(first, 1, 'as it was');
  first.editNote(run, id);
  for (const text of ['h', 'half a', 'half a sen']) {
    first.typeWords(run, id, text);
    await eventually(() => expect(second.texts()).toEqual([text]));
  }
  first.endWords(run, false);
  await eventually(() => expect(second.texts()).toEqual(['as it was']));
  expect(first.travelNotes(run, 'redo')).toBe(false);
  first.travelNotes(run, 'undo');
  await eventually(() => expect(second.texts()).toEqual(['']));
});

it('after its line was cut a window has what was written meanwhile, and the others have what it wrote', async () => {
  const [first, second] = [await open(), await open()];
  write(first, 1, 'one');
  await eventually(() => expect(second.texts()).toEqual(['one']));
  // It hears nothing, and what it sends does not arrive.
  const [, deaf] = windows;
  windows = windows.filter((window) => window !== deaf);
  write(first, 2, 'two');
  await eventually(async () => expect(await keptTexts()).toEqual(['one', 'two']));
  if (deaf !== undefined) windows.push(deaf);
  await second.ensureNotes(run);
  expect(second.texts()).toEqual(['one', 'two']);
  write(second, 3, 'three');
  await eventually(() => expect(first.texts()).toEqual(['one', 'two', 'three']));
});
