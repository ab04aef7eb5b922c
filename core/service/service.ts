/**
 * The typed interface between a window (or the command line) and the host. The renderer knows the host only through
 * this file. Every function rejects with a CopyscopeError; requests.ts has the schemas with which the host validates.
 */

import type { Figure } from '../apps/lessons/figure.ts';
import type { Lesson } from '../apps/lessons/lesson.ts';
import type { JobCounts } from '../apps/slurm/submission.ts';
import type { SweepDocument } from '../apps/sweep/document.ts';
import type { Figures } from '../apps/sweep/metrics.ts';
import type { ErrorInfo } from '../errors.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { DeviceProfile } from '../machine/profile/profile.ts';
import type { DeviceReport, RunProgress } from '../program/engine.ts';
import type { EngineKind } from '../program/engineKind.ts';
import type { RunNotes } from '../trace/notes.ts';
import type { RunOrigin } from '../trace/run.ts';
import type { RecordingStatus, StartRecording } from './recording.ts';
import type { RemoteEnding, RemoteState } from './remotes.ts';
import type { SettledPrediction } from './settled.ts';
import type { StartKind } from './starts.ts';

export interface About {
  readonly version: string;
  /** Program around the window: the desktop app, or a browser through the headless server. */
  readonly shell: 'electron' | 'browser';
  readonly platform: string;
  /** Folder of experiments and runs. */
  readonly dataFolder: string;
  /** The remote host that this host runs on, by the name that `connect` was given. */
  readonly remote?: string;
}

export interface ExampleSummary {
  /** Path below assets/examples without extension, such as 'overlap/pinned-side-stream'. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Recorded runs of it that ship with the program. */
  readonly recordedRuns: readonly string[];
}

export interface LessonSummary {
  /** File name without extension; 'own/…' for the user's lessons. */
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly group: string;
  readonly order: number;
  readonly minutes: number;
  readonly steps: number;
  /** Positions of the steps that have a task, from 0. */
  readonly tasks: readonly number[];
  readonly own: boolean;
  /** Why it can't be opened, if it can't. */
  readonly problem?: ErrorInfo;
}

export interface OpenedLesson {
  readonly lesson: Lesson;
  /** Figures that its steps show, by id. */
  readonly figures: Readonly<Record<string, Figure>>;
}

export interface ExperimentSummary {
  readonly id: string;
  readonly name: string;
  readonly modifiedAt: string;
  /** Whether a window has unsaved changes: see readDraft(). */
  readonly hasDraft: boolean;
  /** Why it can't be opened, if it can't. */
  readonly problem?: ErrorInfo;
}

/** Unsaved changes of an experiment. */
export interface Draft {
  /** By the window's clock, as ISO 8601. */
  readonly changedAt: string;
  readonly experiment: Experiment;
}

/** A draft from a window: the experiment as a value, or as JSON text, which takes less time. */
export type SentDraft = Omit<Draft, 'experiment'> & { readonly experiment: unknown };

/** A draft for a window: the experiment as JSON text. */
export type KeptDraft = Omit<Draft, 'experiment'> & { readonly experiment: string };

export interface ProfileSummary {
  readonly name: string;
  /** Device, with a note if its figures were not measured, or the remote host that it belongs to. */
  readonly device: string;
  /** Remote host that it was measured on. */
  readonly host?: string;
  /** Source of its numbers, in a sentence. */
  readonly source: string;
  readonly basis: DeviceProfile['basis'];
  /** Whether the user made it with copyscope calibrate, or added it. */
  readonly own: boolean;
}

export interface RunSummary {
  readonly id: string;
  /** Name of the experiment, or of the file that a trace was read from. */
  readonly name: string;
  /** Name that its owner gave it instead. */
  readonly title?: string;
  /** Difference of its experiment to that of the last run before it: 'pinned instead of pageable'. */
  readonly changed?: string;
  readonly origin: RunOrigin;
  /** Null if the file can't be read: then status is 'failed', and error says why. */
  readonly engine: EngineKind | null;
  readonly status: 'running' | 'complete' | 'failed' | 'cancelled';
  readonly error?: ErrorInfo;
  readonly createdAt: string;
  /** Device or profile, such as 'NVIDIA H200'. */
  readonly device: string;
  /** Remote host that it ran on. */
  readonly host?: string;
  /** Representative iteration's makespan; null until the run is complete. */
  readonly makespanNs: number | null;
  /** Whether it ships with the program, and so can't be deleted. */
  readonly builtIn: boolean;
  /** Sweep that it is a point of. Lists of runs omit it, and it is deleted with its sweep. */
  readonly sweep?: string;
}

/** Result of a sweep's point. A point without one was not reached yet. */
export type SweepOutcome =
  | {
      readonly point: number;
      readonly status: 'done';
      readonly run: RunSummary;
      /** Medians and spreads over the run's iterations, by metric (core/apps/sweep/metrics.ts). */
      readonly figures: Figures;
      /** Rate of the device's PCI Express link in one direction; null if unknown. */
      readonly linkBytesPerSecond: number | null;
    }
  | { readonly point: number; readonly status: 'failed'; readonly error: ErrorInfo };

export interface SweepSummary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly engine: EngineKind;
  readonly origin: RunOrigin;
  /** Device or profile, such as 'NVIDIA H200'; several nodes as in devicesText(). */
  readonly device: string;
  /** stopped: cancelled, or the host ended. Finished points are kept, and the rest can be run. */
  readonly status: 'running' | 'complete' | 'stopped';
  /** Remote host that its points run on. */
  readonly host?: string;
  /** Set if Slurm jobs run its points. The number of jobs is known while it is watched. */
  readonly slurm?: { readonly jobs: JobCounts | null };
  readonly points: number;
  readonly done: number;
  readonly failed: number;
  /** Why it stopped, or can't be read. */
  readonly problem?: ErrorInfo;
}

export interface Sweep {
  readonly summary: SweepSummary;
  readonly document: SweepDocument;
  readonly profile: string | null;
  readonly iterations: number | null;
  /** In the order in which they were run. A repeated point is listed once, with its last result. */
  readonly outcomes: readonly SweepOutcome[];
}

export interface StartSweep {
  /** A sweep document (core/apps/sweep/document.ts). */
  readonly sweep: unknown;
  readonly engine: EngineKind;
  readonly profile?: string | undefined;
  /** Overrides every point's environment.iterations. */
  readonly iterations?: number | undefined;
  /** Runs the points as Slurm jobs. The engine is that of the nodes. */
  readonly slurm?: { readonly pointsPerJob: number } | undefined;
}

export interface StartRun {
  readonly experiment: unknown;
  readonly engine: EngineKind;
  readonly profile?: string | undefined;
  /** Overrides environment.iterations. */
  readonly iterations?: number | undefined;
  /** Whether the simulation includes the cost of recording, for comparison with a recorded run. */
  readonly whileRecording?: boolean | undefined;
}

/** Prefix of ids of the runs that ship, so that they differ from the user's runs. */
export const recordedPrefix = 'recorded/';

/** Returns the name of a run in lists, with the change since the run before it. */
export const runTitle = ({ title, name, changed }: Pick<RunSummary, 'title' | 'name' | 'changed'>): string =>
  title ?? (changed === undefined ? name : `${changed.charAt(0).toUpperCase()}${changed.slice(1)} · ${name}`);

/** Items of the library, by their ids. */
export interface LibraryItems {
  readonly experiments: readonly string[];
  readonly runs: readonly string[];
  /** Includes the runs of their points. */
  readonly sweeps: readonly string[];
}

/** Returns these items and no others. */
export const libraryItems = (some: Partial<LibraryItems>): LibraryItems => ({
  experiments: [],
  runs: [],
  sweeps: [],
  ...some,
});

/** Result of importing a file. `isNew` is false if the library already had the same. */
export type Imported =
  | { readonly kind: 'run'; readonly run: RunSummary; readonly isNew: boolean }
  | { readonly kind: 'experiment'; readonly id: string; readonly name: string; readonly isNew: boolean }
  /** `problem` says what could not be read; the rest is in the library. */
  | { readonly kind: 'bundle'; readonly items: LibraryItems; readonly problem?: ErrorInfo };

/** Path at which the page exchanges the opened link's token for the session's secret. */
export const sessionPath = '/session';

/** Path of the page's WebSocket. */
export const socketPath = '/rpc';

/** First protocol that the page names for it. The second one is the session's secret. */
export const socketProtocol = 'copyscope';

const bundlesPath = '/bundles/';

/** Returns the path of a packed bundle on the window's own origin. */
export const bundlePath = (ticket: string): string => bundlesPath + ticket;

/** Returns the ticket in such a path, unvalidated; null for other paths. */
export const bundleOfPath = (path: string): string | null =>
  path.startsWith(bundlesPath) ? path.slice(bundlesPath.length) : null;

const runsPath = '/runs/';

/** Returns the path of a run's file on the window's own origin. */
export const runFilePath = (id: string): string => runsPath + id;

/** Returns the id in such a path, unvalidated; null for other paths. */
export const runOfPath = (path: string): string | null =>
  path.startsWith(runsPath) ? path.slice(runsPath.length) : null;

export interface NotesChange {
  /** All notes in the window. */
  readonly notes: RunNotes;
  /** The window's own name, sent with the change so that it recognises it. */
  readonly by: string;
}

/** Functions that a window can call on the host. */
export interface HostService {
  about(): Promise<About>;
  /** Queries the engine process anew if `refresh` is true. */
  devices(refresh: boolean): Promise<DeviceReport>;
  /** Returns remote hosts that were connected to. Contacts none of them. */
  remotes(): Promise<readonly RemoteState[]>;
  /** Begins to connect, and returns. remoteChanged() reports the rest. Rejects with `host.name`. */
  connectRemote(name: string): Promise<void>;
  /** Answers a connection's question: whether to copy the program there, and to end another version. */
  answerRemote(name: string, isAgreed: boolean): Promise<void>;
  endRemote(name: string, ending: RemoteEnding): Promise<void>;
  /** Returns sbatch's command line and script for Slurm jobs from here. Null if there is no sbatch. */
  slurm(): Promise<readonly string[] | null>;
  profiles(): Promise<readonly ProfileSummary[]>;
  /** Returns a profile's JSON, for the simulator in the window. */
  readProfile(name: string): Promise<unknown>;
  /** Returns predictions with this profile that a later trace on this machine confirmed or refuted, newest first. */
  settled(profile: string): Promise<readonly SettledPrediction[]>;
  /** Stores one in place of an earlier one of the same traces. */
  keepSettled(prediction: SettledPrediction): Promise<void>;
  examples(): Promise<readonly ExampleSummary[]>;
  readExample(id: string): Promise<Experiment>;
  /** Returns lessons in teaching order; the user's own come last. */
  lessons(): Promise<readonly LessonSummary[]>;
  readLesson(id: string): Promise<OpenedLesson>;
  experiments(): Promise<readonly ExperimentSummary[]>;
  /** Returns JSON text, which transfers in a third of the time that its values take. */
  readExperiment(id: string): Promise<string>;
  /** Saves under `id`, or under a new id made from its name if `id` is null. Returns the id. */
  saveExperiment(id: string | null, experiment: unknown): Promise<string>;
  /** Returns an experiment's unsaved changes; null if there are none. */
  readDraft(id: string): Promise<KeptDraft | null>;
  /** Stores the draft on disk, or deletes it if `draft` is null or the experiment is gone, before it resolves. */
  keepDraft(id: string, draft: SentDraft | null): Promise<void>;
  /** Begins a run and returns at once; events report its progress. */
  startRun(request: StartRun): Promise<RunSummary>;
  cancelRun(id: string): Promise<void>;
  /**
   * Runs a program of the user's with the recorder in it, and returns at once; events report its progress. Rejects with
   * `engine.unavailable`, `recording.busy` or `usage.*`.
   */
  startRecording(request: StartRecording): Promise<RecordingStatus>;
  /** Asks the program to end, as Ctrl-C does, or ends it at once. Keeps recorded data. */
  stopRecording(id: string, atOnce: boolean): Promise<void>;
  /** Returns the current recording, or the last one; null if there was none. */
  recording(): Promise<RecordingStatus | null>;
  runs(): Promise<readonly RunSummary[]>;
  /** Returns size and address of the run's Arrow file for a GET, since a run may be larger than any message. */
  runFile(id: string): Promise<{ readonly bytes: number; readonly address: string }>;
  /** Returns the run's Arrow file as one message, if it fits. */
  readRun(id: string): Promise<Uint8Array>;
  /** Newest first. One that can't be read is listed with its problem. */
  sweeps(): Promise<readonly SweepSummary[]>;
  readSweep(id: string): Promise<Sweep>;
  /**
   * Stores the sweep, begins with its first point and returns at once; each point's end arrives as an event. With Slurm
   * it returns once the jobs are submitted, and continues the same sweep if it was begun before.
   */
  startSweep(request: StartSweep): Promise<SweepSummary>;
  /** Runs the points that were not reached, and failed ones if `again` is true. */
  continueSweep(id: string, again: boolean): Promise<SweepSummary>;
  cancelSweep(id: string): Promise<void>;
  /** Rejects with `sweep.running`, or like readSweep(). */
  renameSweep(id: string, name: string): Promise<void>;
  /** Gives a run its own title; an empty title restores the experiment's name. */
  renameRun(id: string, title: string): Promise<void>;
  /**
   * Moves them, with what belongs to them, into the trash for 30 days. Returns a ticket for restoreItems(), empty if
   * a full disk left no room for them there. Rejects with `sweep.running`.
   */
  deleteItems(items: LibraryItems): Promise<string>;
  restoreItems(ticket: string): Promise<void>;
  /**
   * Imports a file of any kind: a run, a trace of PyTorch's profiler or Nsight Systems, a recorded process, an
   * experiment or a bundle. Send it in parts of any size and number under the returned ticket. It is stored once all of
   * it is valid.
   */
  beginImport(file: { readonly name: string; readonly modifiedAt: string }): Promise<string>;
  /** Resolves when the next part may be sent. */
  importPart(ticket: string, part: Uint8Array): Promise<void>;
  endImport(ticket: string): Promise<Imported>;
  /** Joins traces of all ranks of one job into one run; null if these runs aren't such traces. */
  joinRanks(runs: readonly string[]): Promise<Imported | null>;
  cancelImport(ticket: string): Promise<void>;
  /** Packs items into one file. A single GET of bundlePath() of the returned ticket downloads it. */
  packBundle(items: LibraryItems): Promise<string>;
  /** Returns the marks and notes on a run; empty if none. Rejects with `notes.invalid` if they are damaged. */
  readNotes(id: string): Promise<RunNotes>;
  /** Merges a window's changes of a run's notes with changes by other windows. */
  saveNotes(id: string, change: NotesChange): Promise<void>;
}

/** Commands of the window that the desktop app's menu has too. */
export const menuCommands = {
  open: { id: 'Library.open', name: 'Open a file', keys: ['mod O'] },
  licences: { id: 'Window.licences', name: 'Licences' },
};

/** The host as one window has it. */
export interface WindowService extends HostService {
  /** Allows this window to start programs of this kind, after a person has confirmed it there. See starts.ts. */
  allowStarts(kind: StartKind): Promise<void>;
}

/** Events that the host sends to every connected window. */
export interface WindowEvents {
  runProgress(id: string, progress: RunProgress): void;
  /** A run began, ended, failed, was cancelled, imported or deleted (then `run` is null). */
  runChanged(id: string, run: RunSummary | null): void;
  /** A recording began, progressed or ended. */
  recordingChanged(status: RecordingStatus): void;
  experimentsChanged(): void;
  /** A device profile was calibrated, added, replaced or deleted. */
  profilesChanged(): void;
  /** The notes on a run have changed; `by` is as in NotesChange. */
  notesChanged(id: string, notes: RunNotes, by: string): void;
  /** A sweep began, progressed, stopped, was restored or was deleted (then `sweep` is null). */
  sweepChanged(id: string, sweep: SweepSummary | null): void;
  sweepPoint(id: string, outcome: SweepOutcome): void;
  /** A file was opened outside the window, by a double-click or on the command line: show the result. */
  opened(imported: Imported): void;
  /** A connection began, asked, opened or ended, or the host was forgotten (then `state` is null). */
  remoteChanged(name: string, state: RemoteState | null): void;
  /** The engine process ended or came back. */
  engineChanged(report: DeviceReport | null, problem: ErrorInfo | null): void;
}
