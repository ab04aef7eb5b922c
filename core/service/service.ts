/**
 * The typed interface between a window (or the command line) and the host. The renderer knows the host only through
 * this file. Every function rejects with a CopyscopeError; requests.ts holds the schemas that the host validates with.
 */
import type { ErrorInfo } from '../errors.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { Figure } from '../lessons/figure.ts';
import type { Lesson } from '../lessons/lesson.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import type { DeviceReport, RunProgress } from '../program/engine.ts';
import type { EngineKind } from '../program/engineKind.ts';
import type { JobCounts } from '../slurm/submission.ts';
import type { SweepDocument } from '../sweep/document.ts';
import type { Figures } from '../sweep/metrics.ts';
import type { RunNotes } from '../trace/notes.ts';
import type { RunOrigin } from '../trace/run.ts';
import type { RecordingStatus, StartRecording } from './recording.ts';
import type { RemoteEnding, RemoteList, RemoteState } from './remotes.ts';
import type { SettledPrediction } from './settled.ts';
import type { StartKind } from './starts.ts';

export interface About {
  readonly version: string;
  /** What hosts the window: the desktop app, or a browser through the headless server. */
  readonly shell: 'electron' | 'browser';
  readonly platform: string;
  /** Where experiments and runs are kept. */
  readonly dataFolder: string;
  /** The remote host that this host runs on, by the name that `connect` was given. */
  readonly remote?: string;
  /** Whether what is deleted goes to the system's bin; where it doesn't, it is gone after a while. */
  readonly bin: boolean;
}

export interface ExampleSummary {
  /** Path below assets/examples without its ending, as 'overlap/pinned-side-stream'. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Recorded runs of it that ship with the program. */
  readonly recordedRuns: readonly string[];
}

export interface LessonSummary {
  /** The file's name without its ending; 'own/…' for the user's. */
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
  /** Why it can't be opened, where it can't. */
  readonly problem?: ErrorInfo;
}

export interface OpenedLesson {
  readonly lesson: Lesson;
  /** Those that its steps show, by id. */
  readonly figures: Readonly<Record<string, Figure>>;
}

export interface ExperimentSummary {
  readonly id: string;
  readonly name: string;
  readonly modifiedAt: string;
  /** Whether a window has changed it and not saved that: see readDraft(). */
  readonly hasDraft: boolean;
  /** Why it can't be opened, where it can't. */
  readonly problem?: ErrorInfo;
}

/** An experiment as a window has changed it, not saved yet. */
export interface Draft {
  /** By the window's clock, as ISO 8601. */
  readonly changedAt: string;
  readonly experiment: Experiment;
  readonly typed?: TypedTexts | undefined;
}

/** Texts that stand in fields and were not taken over yet, by the field's path in the document, as 'buffers[0].bytes'. */
export type TypedTexts = Readonly<Record<string, string>>;

/** The same, as a window sends it: the experiment as a value, or as JSON text, which takes less time. */
export type SentDraft = Omit<Draft, 'experiment'> & { readonly experiment: unknown };

/** The same, as a window is sent it: the experiment as JSON text. */
export type KeptDraft = Omit<Draft, 'experiment'> & { readonly experiment: string };

export interface ProfileSummary {
  readonly name: string;
  /** Says so where its figures were not measured, and which other machine it is of. */
  readonly device: string;
  /** The other machine that it was measured on. */
  readonly host?: string;
  /** Where its numbers come from, in a sentence. */
  readonly source: string;
  readonly basis: DeviceProfile['basis'];
  /** Made by copyscope calibrate, or put beside what that made. */
  readonly own: boolean;
}

export interface RunSummary {
  readonly id: string;
  /** The experiment's, or that of the file that a trace was read from. */
  readonly name: string;
  /** What its owner calls it instead. */
  readonly title?: string;
  readonly origin: RunOrigin;
  /** Null where the file can't be read: status is then 'failed', and error says why. */
  readonly engine: EngineKind | null;
  readonly status: 'running' | 'complete' | 'failed' | 'cancelled';
  readonly error?: ErrorInfo;
  readonly createdAt: string;
  /** Device or profile, as 'NVIDIA H200'. */
  readonly device: string;
  /** The other machine that it ran on. */
  readonly host?: string;
  /** Representative iteration's makespan; null until the run is complete. */
  readonly makespanNs: number | null;
  /** Whether it ships with the program, and so can't be deleted. */
  readonly builtIn: boolean;
  /** The sweep it is a point of: lists of runs leave it out, and it goes with its sweep. */
  readonly sweep?: string;
}

/** What became of one point of a sweep. A point that has none was not reached yet. */
export type SweepOutcome =
  | {
      readonly point: number;
      readonly status: 'done';
      readonly run: RunSummary;
      /** Medians and spreads over the run's iterations, by metric (core/sweep/metrics.ts). */
      readonly figures: Figures;
      /** Of the device's PCI Express link in one direction; null where it isn't known. */
      readonly linkBytesPerSecond: number | null;
    }
  | { readonly point: number; readonly status: 'failed'; readonly error: ErrorInfo };

export interface SweepSummary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly engine: EngineKind;
  readonly origin: RunOrigin;
  /** Device or profile, as 'NVIDIA H200'; of several nodes as devicesText() names them. */
  readonly device: string;
  /** stopped: cancelled, or the host ended; what was done is kept, and the rest can be run. */
  readonly status: 'running' | 'complete' | 'stopped';
  /** The other machine that its points run on. */
  readonly host?: string;
  /** Jobs of Slurm run its points. The number of jobs is known while it is watched. */
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
  /** In the order in which they were run; a point that was run again is there once, as it became last. */
  readonly outcomes: readonly SweepOutcome[];
}

export interface StartSweep {
  /** A sweep document (core/sweep/document.ts). */
  readonly sweep: unknown;
  readonly engine: EngineKind;
  readonly profile?: string | undefined;
  /** Overrides every point's environment.iterations. */
  readonly iterations?: number | undefined;
  /** Runs the points as jobs of Slurm. The engine is that of the nodes. */
  readonly slurm?: { readonly pointsPerJob: number } | undefined;
}

export interface StartRun {
  readonly experiment: unknown;
  readonly engine: EngineKind;
  readonly profile?: string | undefined;
  /** Overrides environment.iterations. */
  readonly iterations?: number | undefined;
  /** A simulation that is held against a recorded run: it counts in what recording costs, and its run says so. */
  readonly whileRecording?: boolean | undefined;
}

/** Ids of the runs that ship begin with this, so that they never meet those of the user's runs. */
export const recordedPrefix = 'recorded/';

/** What a list calls a run. */
export const runTitle = ({ title, name }: Pick<RunSummary, 'title' | 'name'>): string => title ?? name;

/** Things of the library, by their ids. */
export interface LibraryItems {
  readonly experiments: readonly string[];
  readonly runs: readonly string[];
  /** With the runs of their points. */
  readonly sweeps: readonly string[];
}

/** These, and no others. */
export const libraryItems = (some: Partial<LibraryItems>): LibraryItems => ({
  experiments: [],
  runs: [],
  sweeps: [],
  ...some,
});

/** What became of a file from elsewhere. `isNew` is false where the library held the very same already. */
export type Imported =
  | { readonly kind: 'run'; readonly run: RunSummary; readonly isNew: boolean }
  | { readonly kind: 'experiment'; readonly id: string; readonly name: string; readonly isNew: boolean }
  /** `problem` says what of it could not be read; the rest is in the library. */
  | { readonly kind: 'bundle'; readonly items: LibraryItems; readonly problem?: ErrorInfo };

/** Where the page changes the token of the link that was opened for the session's secret. */
export const sessionPath = '/session';

/** Where the page opens its WebSocket. */
export const socketPath = '/rpc';

/** The first protocol that the page names for it. The second one is the session's secret. */
export const socketProtocol = 'copyscope';

const bundlesPath = '/bundles/';

/** Where a window's own origin serves a bundle that was packed for it. */
export const bundlePath = (ticket: string): string => bundlesPath + ticket;

/** The ticket in such a path; null for other paths. It is not validated. */
export const bundleOfPath = (path: string): string | null =>
  path.startsWith(bundlesPath) ? path.slice(bundlesPath.length) : null;

const runsPath = '/runs/';

/** Where a window's own origin serves the file of a run. */
export const runFilePath = (id: string): string => runsPath + id;

/** The id in such a path; null for other paths. It is not validated. */
export const runOfPath = (path: string): string | null =>
  path.startsWith(runsPath) ? path.slice(runsPath.length) : null;

export interface NotesChange {
  /** As the window has them now, all of them. */
  readonly notes: RunNotes;
  /** As the host had them when the window last heard of them. */
  readonly base: RunNotes;
  /** The window, by a name that it has made up: told with the change, so that it knows its own. */
  readonly by: string;
}

/** What a window may ask of the host. */
export interface HostService {
  about(): Promise<About>;
  /** Asks the engine process anew when `refresh` is true. */
  devices(refresh: boolean): Promise<DeviceReport>;
  /** Remote hosts that were connected to. Asks none of them. */
  remotes(): Promise<RemoteList>;
  /** Begins to connect, and returns: remoteChanged() tells the rest. Rejects with `host.name`. */
  connectRemote(name: string): Promise<void>;
  /** Answers what a connection asks: whether the program may be copied there, and another version ended. */
  answerRemote(name: string, isAgreed: boolean): Promise<void>;
  endRemote(name: string, ending: RemoteEnding): Promise<void>;
  /** How jobs of Slurm are submitted from here: sbatch's command line and the script. Null if there is no sbatch. */
  slurm(): Promise<readonly string[] | null>;
  profiles(): Promise<readonly ProfileSummary[]>;
  /** A profile's JSON, for the simulator in the window. */
  readProfile(name: string): Promise<unknown>;
  /** Predictions made with this profile that a later trace settled on this machine, the newest first. */
  settled(profile: string): Promise<readonly SettledPrediction[]>;
  /** Keeps one in the place of an earlier one of the same traces. */
  keepSettled(prediction: SettledPrediction): Promise<void>;
  examples(): Promise<readonly ExampleSummary[]>;
  readExample(id: string): Promise<Experiment>;
  /** In teaching order; the user's own come last. */
  lessons(): Promise<readonly LessonSummary[]>;
  readLesson(id: string): Promise<OpenedLesson>;
  experiments(): Promise<readonly ExperimentSummary[]>;
  /** As JSON text, which crosses in a third of the time that its values take. */
  readExperiment(id: string): Promise<string>;
  /** Saves under `id`, or under a new id made from its name where `id` is null; returns the id. */
  saveExperiment(id: string | null, experiment: unknown): Promise<string>;
  /** The changes of an experiment that were not saved; null where there are none. */
  readDraft(id: string): Promise<KeptDraft | null>;
  /** Keeps them, or forgets them where `draft` is null or the experiment is gone. They are on the disk when this resolves. */
  keepDraft(id: string, draft: SentDraft | null): Promise<void>;
  /** Begins a run and returns at once; what becomes of it arrives as events. */
  startRun(request: StartRun): Promise<RunSummary>;
  cancelRun(id: string): Promise<void>;
  /**
   * Runs a program of the user's with the recorder in it, and returns at once; what becomes of it arrives as events. Rejects with
   * `engine.unavailable`, `recording.busy` or `usage.*`.
   */
  startRecording(request: StartRecording): Promise<RecordingStatus>;
  /** Asks the program to end, as Ctrl-C does, or ends it at once. What was recorded is kept. */
  stopRecording(id: string, atOnce: boolean): Promise<void>;
  /** The one under way, or the last one; null where there was none. */
  recording(): Promise<RecordingStatus | null>;
  runs(): Promise<readonly RunSummary[]>;
  /**
   * Says how long the run's Arrow file is, and the address that a GET reads it from, relative to the window's own: a run
   * may be larger than any message.
   */
  runFile(id: string): Promise<{ readonly bytes: number; readonly address: string }>;
  /** The run's Arrow file as one message, where it fits into one. */
  readRun(id: string): Promise<Uint8Array>;
  /** Newest first. One that can't be read is listed with its problem. */
  sweeps(): Promise<readonly SweepSummary[]>;
  readSweep(id: string): Promise<Sweep>;
  /**
   * Keeps the sweep, begins with its first point and returns at once; each point's end arrives as an event. As jobs of Slurm
   * it returns once they are submitted, and goes on with the same sweep where that was begun before.
   */
  startSweep(request: StartSweep): Promise<SweepSummary>;
  /** Runs the points that were not reached, and those that failed where `again` is true. */
  continueSweep(id: string, again: boolean): Promise<SweepSummary>;
  cancelSweep(id: string): Promise<void>;
  /** Rejects with `sweep.running`, or as readSweep() does. */
  renameSweep(id: string, name: string): Promise<void>;
  /** Calls a run something else than its experiment; an empty title takes that back. */
  renameRun(id: string, title: string): Promise<void>;
  /**
   * Deletes them with what belongs to them, into the system's bin where there is one. Gives the ticket that
   * restoreItems() takes for some minutes. Rejects with `sweep.running`, and with `bin.failed` where the bin doesn't take
   * them: `forGood` does without it.
   */
  deleteItems(items: LibraryItems, forGood: boolean): Promise<string>;
  restoreItems(ticket: string): Promise<void>;
  /**
   * A file from elsewhere, whatever it is: a run, a trace of PyTorch's profiler or Nsight Systems, a recorded process, an
   * experiment or a bundle. It comes in parts of any size and number, under the ticket that this gives, and is kept after
   * all of it was validated.
   */
  beginImport(file: { readonly name: string; readonly modifiedAt: string }): Promise<string>;
  /** Resolves when the next part may be sent. */
  importPart(ticket: string, part: Uint8Array): Promise<void>;
  endImport(ticket: string): Promise<Imported>;
  /** One run of all ranks, if these runs are traces of the ranks of one job and say so; else null. */
  joinRanks(runs: readonly string[]): Promise<Imported | null>;
  cancelImport(ticket: string): Promise<void>;
  /** Makes one file of them; it comes, once, as the answer to a GET of bundlePath() of the ticket that this gives. */
  packBundle(items: LibraryItems): Promise<string>;
  /** The marks and notes on a run; empty where there are none. Rejects with `notes.invalid` where they are damaged. */
  readNotes(id: string): Promise<RunNotes>;
  /** Puts a window's changes of the notes on a run that is on disk to what other windows have changed since. */
  saveNotes(id: string, change: NotesChange): Promise<void>;
}

/** The host as one window has it. */
export interface WindowService extends HostService {
  /** From now on this window may start programs of this kind: a person has confirmed it there. See starts.ts. */
  allowStarts(kind: StartKind): Promise<void>;
}

/** What the host tells every window that is connected. */
export interface WindowEvents {
  runProgress(id: string, progress: RunProgress): void;
  /** A run began, ended, failed, was cancelled, imported or deleted (then `run` is null). */
  runChanged(id: string, run: RunSummary | null): void;
  /** A recording began, went on or ended. */
  recordingChanged(status: RecordingStatus): void;
  experimentsChanged(): void;
  /** A device profile was calibrated, put beside the user's own, replaced or deleted. */
  profilesChanged(): void;
  /** The notes on a run are now these; `by` is as in NotesChange. */
  notesChanged(id: string, notes: RunNotes, by: string): void;
  /** A sweep began, went on, stopped, was brought back or was deleted (then `sweep` is null). */
  sweepChanged(id: string, sweep: SweepSummary | null): void;
  sweepPoint(id: string, outcome: SweepOutcome): void;
  /** A file was opened outside the window, by a double-click or on the command line: show what came of it. */
  opened(imported: Imported): void;
  /** A connection began, asked, opened or ended, or the host was forgotten (then `state` is null). */
  remoteChanged(name: string, state: RemoteState | null): void;
  /** The engine process ended or came back. */
  engineChanged(report: DeviceReport | null, problem: ErrorInfo | null): void;
}
