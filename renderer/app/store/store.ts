/** The window's one store. Components read it with useApp(); actions write it through update(). */
import { create } from 'zustand';
import { immer } from 'zustand/middleware/immer';
import type { AppState } from './types.ts';

const initial: AppState = {
  connection: { status: 'connecting', problem: null },
  about: null,
  devices: null,
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
  iteration: null,
  timelineAs: 'lanes',
  helpOpen: false,
  lessons: [],
  openedLessons: {},
  lessonDocument: null,
  lessonWaits: false,
};

export const useApp = create<AppState>()(immer(() => initial));

export const state = (): AppState => useApp.getState();

/** Writes plain fields. */
export function assign(fields: Partial<AppState>): void {
  useApp.setState(fields);
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
  useApp.setState((draft) => {
    const entries = draft[table] as Record<string, unknown>;
    if (value === undefined) delete entries[key];
    else entries[key] = value;
  });
}
