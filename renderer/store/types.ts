/** The window's state. Every slice is plain data, changed by actions: see store.ts. */
import type { ErrorInfo } from '../../core/errors.ts';
import type { DeclarationKind } from '../../core/experiment/edit/declarations.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { TermId } from '../../core/explain/glossary/terms.ts';
import type { DeviceReport, RunProgress } from '../../core/program/engine.ts';
import type {
  About,
  ExampleSummary,
  ExperimentSummary,
  LessonSummary,
  OpenedLesson,
  ProfileSummary,
  RunSummary,
} from '../../core/service/service.ts';
import type { LoadedRun } from './opened/loadedRun.ts';

export type ConnectionStatus = 'connecting' | 'open' | 'lost';

export interface ConnectionSlice {
  readonly connection: { readonly status: ConnectionStatus; readonly problem: ErrorInfo | null };
  readonly about: About | null;
  readonly devices: DeviceReport | null;
  /** Settings for jobs of Slurm, as lines; null if there is no sbatch. */
  readonly slurm: readonly string[] | null;
  /** Reason why the engine process is missing, or null. */
  readonly engineProblem: ErrorInfo | null;
  readonly profiles: readonly ProfileSummary[];
}

export interface LibrarySlice {
  readonly examples: readonly ExampleSummary[];
  readonly experiments: readonly ExperimentSummary[];
  readonly runs: Readonly<Record<string, RunSummary>>;
  readonly progress: Readonly<Record<string, RunProgress>>;
  readonly libraryReady: boolean;
}

/** The page in the centre. A run brings its own experiment with it. */
export type Page =
  | { readonly kind: 'welcome' }
  | { readonly kind: 'example'; readonly id: string }
  | { readonly kind: 'experiment'; readonly id: string }
  | { readonly kind: 'run'; readonly id: string }
  /** Runs to compare, the first one as the base; by default those of the four cases. */
  | { readonly kind: 'compare'; readonly runs?: readonly string[] }
  | { readonly kind: 'lessons' }
  /** `step` counts from 0. */
  | { readonly kind: 'lesson'; readonly id: string; readonly step: number }
  | { readonly kind: 'glossary'; readonly term: TermId | null }
  | { readonly kind: 'sweep'; readonly id: string }
  /** The form of a new sweep. */
  | { readonly kind: 'sweep-setup' }
  /** The recording of a user's program. */
  | { readonly kind: 'record' }
  /** Connections to remote hosts. */
  | { readonly kind: 'remote' }
  | { readonly kind: 'charts' };

export type Loading<Value> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly value: Value }
  | { readonly status: 'failed'; readonly error: ErrorInfo };

export interface PageSlice {
  readonly page: Page;
  /** Opened experiments, by documentKey(). */
  readonly documents: Readonly<Record<string, Loading<Experiment>>>;
  readonly loadedRuns: Readonly<Record<string, Loading<LoadedRun>>>;
  /** Shares of copies judged so far, of large runs that are summed up. */
  readonly judged: Readonly<Record<string, number>>;
  /** The run picked for a document; without a pick, the newest one of the engine is shown. */
  readonly pickedRuns: Readonly<Record<string, string>>;
  /** A run under way for a document that still shows another run; it is shown when it has ended. */
  readonly pendingRuns: Readonly<Record<string, string>>;
  /** Key of the engine that Run uses (see engines.ts); null until one is picked. */
  readonly engine: string | null;
}

export type Selection =
  | { readonly kind: 'row'; readonly run: string; readonly row: number }
  /** Several rows of a trace, such as the copies of one line, which `title` names. */
  | { readonly kind: 'rows'; readonly run: string; readonly rows: readonly number[]; readonly title: string }
  /** An operation by its id; `others` are selected with it. */
  | { readonly kind: 'op'; readonly id: string; readonly others?: readonly string[] }
  | { readonly kind: 'declaration'; readonly list: DeclarationKind; readonly id: string }
  /** Name, description and environment. */
  | { readonly kind: 'experiment' }
  | { readonly kind: 'area'; readonly run: string; readonly startNs: number; readonly endNs: number };

/** A place in the score. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  /** The dragging pointer's place across the column, from 0 to 1. */
  readonly part?: number;
}

export interface SelectionSlice {
  readonly selection: Selection | null;
  /** Cursor of the score: the focused cell, and the place of additions. */
  readonly cursor: Cell;
  /** The shown iteration; null for the run's representative one. */
  readonly iteration: number | null;
  readonly timelineAs: 'lanes' | 'table' | 'charts';
  /** Colouring of bars in the lanes. */
  readonly colourBy: 'kind' | 'name';
  /** Search text of the timeline; empty for no search. */
  readonly search: string;
  /** A row to scroll to without selecting it; `times` counts the requests. */
  readonly revealed: { readonly run: string; readonly row: number; readonly times: number } | null;
  readonly helpOpen: boolean;
  readonly licencesOpen: boolean;
}

/** State of an open document's changes. */
export interface EditStatus {
  readonly dirty: boolean;
  /** Names of the steps that undo and redo would take; null if there is none. */
  readonly undo: string | null;
  readonly redo: string | null;
  /** The experiment before the last steps, if they were all remedies; else null. */
  readonly beforeRemedy: Experiment | null;
}

export interface EditingSlice {
  /** Status by documentKey(), for documents edited here. */
  readonly edits: Readonly<Record<string, EditStatus>>;
}

export interface LessonSlice {
  readonly lessons: readonly LessonSummary[];
  readonly openedLessons: Readonly<Record<string, Loading<OpenedLesson>>>;
  /** Key of the document in the open lesson's step; null if there is none. */
  readonly lessonDocument: string | null;
  /** True if the step's question is unanswered: until then nothing is simulated, and no run is shown. */
  readonly lessonWaits: boolean;
}

export type AppState = LessonSlice & ConnectionSlice & LibrarySlice & PageSlice & EditingSlice & SelectionSlice;
