/** What the window knows. Every slice is plain data, which actions change: see store.ts. */
import type { ErrorInfo } from '../../core/errors.ts';
import type { DeclarationKind } from '../../core/experiment/edit/declarations.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { TermId } from '../../core/glossary/terms.ts';
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
  /** How jobs of Slurm are submitted, as lines; null if there is no sbatch. */
  readonly slurm: readonly string[] | null;
  /** Why the engine process is not there, where it isn't. */
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

/** What the centre shows. A run brings its own experiment with it. */
export type Page =
  | { readonly kind: 'welcome' }
  | { readonly kind: 'example'; readonly id: string }
  | { readonly kind: 'experiment'; readonly id: string }
  | { readonly kind: 'run'; readonly id: string }
  /** Runs to compare, the first with the others; where none are given, those of the four cases. */
  | { readonly kind: 'compare'; readonly runs?: readonly string[] }
  | { readonly kind: 'lessons' }
  /** `step` counts from 0. */
  | { readonly kind: 'lesson'; readonly id: string; readonly step: number }
  | { readonly kind: 'glossary'; readonly term: TermId | null }
  | { readonly kind: 'sweep'; readonly id: string }
  /** A sweep that is being put together. */
  | { readonly kind: 'sweep-setup' }
  /** A program of the user's own that is recorded. */
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
  /** The run picked for a document; the newest that fits the engine where nothing was picked. */
  readonly pickedRuns: Readonly<Record<string, string>>;
  /** A run under way for a document that goes on showing another; it is shown as soon as it has ended. */
  readonly pendingRuns: Readonly<Record<string, string>>;
  /** Key of the engine that Run uses (see engines.ts); null until something was picked. */
  readonly engine: string | null;
}

export type Selection =
  | { readonly kind: 'row'; readonly run: string; readonly row: number }
  /** Several of a trace, as the copies of one line; `title` says which. */
  | { readonly kind: 'rows'; readonly run: string; readonly rows: readonly number[]; readonly title: string }
  /** An operation by its id; `others` are selected along with it. */
  | { readonly kind: 'op'; readonly id: string; readonly others?: readonly string[] }
  | { readonly kind: 'declaration'; readonly list: DeclarationKind; readonly id: string }
  /** Name, description and environment. */
  | { readonly kind: 'experiment' }
  | { readonly kind: 'area'; readonly run: string; readonly startNs: number; readonly endNs: number };

/** A place in the score. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface SelectionSlice {
  readonly selection: Selection | null;
  /** The score's: where the focus is, and where something goes that is put in. */
  readonly cursor: Cell;
  /** Recorded iteration that is shown; null for the run's representative one. */
  readonly iteration: number | null;
  readonly timelineAs: 'lanes' | 'table' | 'charts';
  /** What bars of the lanes are coloured by. */
  readonly colourBy: 'kind' | 'name';
  /** What is searched for in the timeline; empty for nothing. */
  readonly search: string;
  /** A row that is to come into sight, without being selected; `times` tells one wish from the next. */
  readonly revealed: { readonly run: string; readonly row: number; readonly times: number } | null;
  readonly helpOpen: boolean;
  readonly licencesOpen: boolean;
}

/** What can be said of an open document's changes. */
export interface EditStatus {
  readonly dirty: boolean;
  /** Names of the steps that undo and redo would take; null where there is none. */
  readonly undo: string | null;
  readonly redo: string | null;
  /** What it was before the remedies that were its last steps; null where they were none. */
  readonly beforeRemedy: Experiment | null;
}

export interface EditingSlice {
  /** By documentKey(), of documents that were edited here. */
  readonly edits: Readonly<Record<string, EditStatus>>;
}

export interface LessonSlice {
  readonly lessons: readonly LessonSummary[];
  readonly openedLessons: Readonly<Record<string, Loading<OpenedLesson>>>;
  /** Key of the document that the open lesson's step shows; null where it shows none. */
  readonly lessonDocument: string | null;
  /** The step asks a question first: until it is answered nothing is simulated, and no run is shown. */
  readonly lessonWaits: boolean;
}

export type AppState = LessonSlice & ConnectionSlice & LibrarySlice & PageSlice & EditingSlice & SelectionSlice;
