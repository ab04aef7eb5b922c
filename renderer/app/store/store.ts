/** The window's one store. Components read it with useApp(); actions write it through update(). */
import { create } from 'zustand';
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

export const useApp = create<AppState>()(() => initial);

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
  // Entries are documents and runs of any size: copied tables keep them as they are, and nothing walks through them.
  const { [key]: _, ...others } = state()[table] as Record<string, unknown>;
  useApp.setState({ [table]: value === undefined ? others : { ...others, [key]: value } } as Partial<AppState>);
}
