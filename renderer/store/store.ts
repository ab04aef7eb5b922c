/** The window's one store. Components read it with useApp(); actions write it through assign() and put(). */
import { createContext, createElement, type ReactNode, useContext } from 'react';
import { flushSync } from 'react-dom';
import { createStore, useStore } from 'zustand';
import { afterFrame, inSecondFrame } from '../common/afterFrame.ts';
import { onTouch } from '../common/onTouch.ts';
import type { AppState, Selection } from './types.ts';

const initial: AppState = {
  connection: { status: 'connecting', problem: null },
  about: null,
  devices: null,
  slurm: null,
  engineProblem: null,
  profiles: [],
  examples: [],
  experiments: [],
  runs: {},
  progress: {},
  libraryReady: false,
  page: { kind: 'welcome' },
  documents: {},
  loadedRuns: {},
  pickedRuns: {},
  pendingRuns: {},
  edits: {},
  engine: null,
  selection: null,
  cursor: { row: 0, column: 0 },
  iteration: null,
  timelineAs: 'lanes',
  colourBy: 'kind',
  search: '',
  revealed: null,
  helpOpen: false,
  licencesOpen: false,
  lessons: [],
  openedLessons: {},
  lessonDocument: null,
  lessonWaits: false,
};

const present = createStore<AppState>()(() => initial);
/** The same, but a frame later after drawFirst(). */
const next = createStore<AppState>()(() => initial);
/** The same, but some frames later after drawFirst(). */
const settled = createStore<AppState>()(() => initial);

/** The store that a part of the window reads. */
const Read = createContext(present);

/** What stands inside is drawn in the frame after that of what drawFirst() is about. All of it sees the same moment. */
export const InNextFrame = ({ children }: { readonly children: ReactNode }) =>
  createElement(Read, { value: next }, children);

/**
 * What stands inside may follow some frames later where something else is drawn first: toolbars, lists and panels, of
 * which an edit draws many and none is what one looks at. All of them see the same moment of the state.
 */
export const Following = ({ children }: { readonly children: ReactNode }) =>
  createElement(Read, { value: settled }, children);

/** Selects from the state. The component is drawn anew when what is selected is another object: see useDerived(). */
export const useApp = <Value>(selector: (state: AppState) => Value): Value => useStore(useContext(Read), selector);

export const state = (): AppState => present.getState();

/** Calls `listener` with each change. Returns what ends that. */
export const watch = (listener: (now: AppState, before: AppState) => void): (() => void) => present.subscribe(listener);

/** Writes plain fields. */
export function assign(fields: Partial<AppState>): void {
  present.setState(fields);
}

export const select = (selection: Selection | null): void => assign({ selection });

/** What is held back while something else is drawn first. */
interface Held {
  readonly since: number;
  /** No longer looks out for what is touched. */
  readonly ignore: () => void;
  /** Calls off that all of it is drawn; null until the second frame is. */
  stop: (() => void) | null;
}

let held: Held | null = null;
/** Calls off what the frame after draws; null where it has. */
let second: (() => void) | null = null;
/** What is held back longer shows in the midst of a series of quick changes. */
const mostHeldMs = 250;

present.subscribe((now, before) => {
  if (held === null) showAll(now);
  else if (now.page !== before.page) settle();
  // Fields, above all, must be those of what is selected as soon as it is; where an edit itself selects, a moment later.
  else if (!isSameTarget(now.selection, before.selection) && now.documents === before.documents) settle();
});

/**
 * What is changed now is drawn first: what stands inside of InNextFrame is drawn in the frame after, what stands inside of
 * Following once that is on screen.
 */
export function drawFirst(): void {
  second ??= inSecondFrame(drawSecond);
  held ??= { since: performance.now(), ignore: onTouch(() => flushSync(settle)), stop: null };
  if (held.stop === null || performance.now() - held.since > mostHeldMs) return;
  held.stop();
  held.stop = null;
}

function drawSecond(): void {
  second = null;
  prepareNext();
  next.setState(present.getState(), true);
  if (held !== null) held.stop ??= afterFrame(settle);
}

function settle(): void {
  held?.stop?.();
  held?.ignore();
  held = null;
  second?.();
  second = null;
  prepareNext();
  showAll(present.getState());
  // What was selected above is drawn in a task of its own that comes first.
  for (const action of due.splice(0)) queueMicrotask(action);
}

const preparing = new Set<() => void>();

/**
 * Calls `action` before what stands inside of InNextFrame is drawn anew: at once where that shows the present state. What
 * begins here holds up nothing that is drawn first: even a timer takes a tenth of a millisecond. Returns what calls it off.
 */
export function beforeNextFrame(action: () => void): () => void {
  if (second === null) action();
  else preparing.add(action);
  return () => preparing.delete(action);
}

function prepareNext(): void {
  for (const action of preparing) {
    preparing.delete(action);
    action();
  }
}

function showAll(now: AppState): void {
  next.setState(now, true);
  settled.setState(now, true);
}

export function isSameTarget(a: Selection | null, b: Selection | null): boolean {
  if (a === null || b === null || a.kind !== b.kind) return a === b;
  if (a.kind === 'op' && b.kind === 'op') return a.id === b.id;
  if (a.kind === 'declaration' && b.kind === 'declaration') return a.list === b.list && a.id === b.id;
  return a === b || a.kind === 'experiment';
}

const due: (() => void)[] = [];

/** Calls `action` when all of the window shows the present state: at once where nothing is held back. */
export function whenSettled(action: () => void): void {
  if (held === null) action();
  else due.push(action);
}

/** Sets one entry of a table of the store. */
export function put<
  Table extends
    | 'openedLessons'
    | 'runs'
    | 'progress'
    | 'documents'
    | 'loadedRuns'
    | 'pickedRuns'
    | 'pendingRuns'
    | 'edits',
>(table: Table, key: string, value: AppState[Table][string] | undefined): void {
  assign({ [table]: withEntry<unknown>(state()[table], key, value) } as Partial<AppState>);
}

/** A table with another entry, last of all; without it where the value is undefined. */
export function withEntry<Value>(
  table: Readonly<Record<string, Value>>,
  key: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  // Entries are documents and runs of any size: copied tables keep them as they are, and nothing walks through them.
  const { [key]: _, ...others } = table;
  return value === undefined ? others : { ...others, [key]: value };
}
