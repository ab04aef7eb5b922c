/** The window's one store. Components read it with useApp(); actions write it through assign() and put(). */
import { createContext, createElement, type ReactNode, useContext, useRef } from 'react';
import { flushSync } from 'react-dom';
import { createStore, useStore } from 'zustand';
import { shallow } from 'zustand/shallow';
import { afterFrame, inSecondFrame, onTouch } from '../common/scheduling.ts';
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
  judged: {},
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
/** The same state, but a frame later after drawFirst(). */
const next = createStore<AppState>()(() => initial);
/** The same state, but some frames later after drawFirst(). */
const settled = createStore<AppState>()(() => initial);

/** The store that a part of the window reads. */
const Read = createContext(present);

/** Draws its children one frame after the effect of drawFirst(). All of them see the same state. */
export const InNextFrame = ({ children }: { readonly children: ReactNode }) =>
  createElement(Read, { value: next }, children);

/**
 * Draws its children some frames later if something else is drawn first: toolbars, lists and panels that an edit
 * redraws but that users don't look at then. All of them see the same state.
 */
export const Following = ({ children }: { readonly children: ReactNode }) =>
  createElement(Read, { value: settled }, children);

/** Selects from the state. The component redraws if the selected value is another object: see useDerived(). */
export const useApp = <Value>(selector: (state: AppState) => Value): Value => useStore(useContext(Read), selector);

export const state = (): AppState => present.getState();

/** Calls `listener` with each change. Returns a function that removes it. */
export const watch = (listener: (now: AppState, before: AppState) => void): (() => void) => present.subscribe(listener);

/** Writes plain fields. */
export function assign(fields: Partial<AppState>): void {
  present.setState(fields);
}

export const select = (selection: Selection | null): void => assign({ selection });

/** Delayed drawing while something else is drawn first. */
interface Held {
  readonly since: number;
  /** Stops watching for touched elements. */
  readonly ignore: () => void;
  /** Cancels the drawing of everything; null until the second frame has begun. */
  stop: (() => void) | null;
}

let held: Held | null = null;
/** Cancels the drawing in the next frame; null if it is done. */
let second: (() => void) | null = null;
/** During a series of quick changes, drawing is delayed no longer than this. */
const mostHeldMs = 250;

present.subscribe((now, before) => {
  if (held === null) showAll(now);
  else if (now.page !== before.page) settle();
  // Fields must match a new selection at once. If an edit selects, a moment later is enough.
  else if (!isSameTarget(now.selection, before.selection) && now.documents === before.documents) settle();
});

/** Draws the change first, then InNextFrame, then Following. useDeferredValue takes 1.5 times as long (bench/edit). */
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
  // Effects of the selection are drawn in an earlier task.
  for (const action of due.splice(0)) queueMicrotask(action);
}

const preparing = new Set<() => void>();

/**
 * Calls `action` before the content of InNextFrame is drawn again, or at once if that is up to date. Work started here
 * doesn't delay the first drawing, as even a timer would by 0.1 ms. Returns a function that cancels it.
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

/** Calls `action` when all of the window shows the present state, or at once if nothing is delayed. */
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
    | 'judged'
    | 'pickedRuns'
    | 'pendingRuns'
    | 'edits',
>(table: Table, key: string, value: AppState[Table][string] | undefined): void {
  assign({ [table]: withEntry<unknown>(state()[table], key, value) } as Partial<AppState>);
}

/** Returns a table with an entry added at the end; without the entry if the value is undefined. */
export function withEntry<Value>(
  table: Readonly<Record<string, Value>>,
  key: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  // Entries are documents and runs of any size: tables copy the references, and nothing traverses the entries.
  const { [key]: _, ...others } = table;
  return value === undefined ? others : { ...others, [key]: value };
}

/** Calls `forget` for each deleted run, also if another window or program deleted it. */
export function whenRunGoes(forget: (id: string) => void): void {
  watch((now, before) => {
    if (now.runs === before.runs) return;
    for (const id of Object.keys(before.runs)) if (now.runs[id] === undefined) forget(id);
  });
}

/**
 * Selects a value that is made again each time, while useApp() needs the same object. Returns the previous object while
 * the content is the same, one level deep.
 */
export function useDerived<Value>(selector: (state: AppState) => Value): Value {
  const last = useRef<{ readonly value: Value } | null>(null);
  // Only for this rendering: the next one may select something else from the same state.
  let of: AppState | null = null;
  const value = useApp((all) => {
    if (of === all && last.current !== null) return last.current.value;
    of = all;
    const made = selector(all);
    if (last.current === null || !shallow(last.current.value, made)) last.current = { value: made };
    return last.current.value;
  });
  return value;
}
