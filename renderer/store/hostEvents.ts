/** Data from the host: all of it when the window connects, then each change. */
import type { Imported, RunSummary, WindowEvents } from '../../core/service/service.ts';
import { forgetProfiles } from './engines.ts';
import { attempt, host } from './host.ts';
import { notifyRunFailed } from './notify.ts';
import { openDocument } from './pages.ts';
import { onRecordingChanged } from './recordings.ts';
import { onRemoteChanged } from './remotes.ts';
import { renewRuns, showEnded } from './runs.ts';
import { pageDocumentKey, shownRunId } from './select.ts';
import { assign, put, state } from './store.ts';
import { onSweepChanged, onSweepPoint, setSweeps } from './sweeps.ts';

/** Reads the list again. */
export const listExperiments = newestAnswer(
  () => host().experiments(),
  (experiments) => assign({ experiments }),
);

/** Holds the host's events while a window is filled, since the answer that fills it may be older than they are. */
interface HeldEvents {
  readonly events: WindowEvents;
  /** Passes all held events on in their order, and later ones at once. */
  release(): void;
}

function holdEvents(events: WindowEvents): HeldEvents {
  let held: (() => void)[] | null = [];
  const holding = Object.entries(events).map(([name, tell]: [string, (...args: never[]) => void]) => [
    name,
    (...args: never[]): void => {
      if (held === null) tell(...args);
      else held.push(() => tell(...args));
    },
  ]);
  return {
    events: Object.fromEntries(holding),
    release: () => {
      const told = held ?? [];
      held = null;
      for (const tell of told) tell();
    },
  };
}

/** Requests that may be repeated before they are answered. */

/** Drops an answer that arrives after the answer to a newer request. */
export function newestAnswer<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): () => Promise<void> {
  let [asked, taken] = [0, 0];
  return async () => {
    asked += 1;
    const question = asked;
    const answer = await ask();
    if (question < taken) return;
    taken = question;
    take(answer);
  };
}

/** Called for every file that was opened outside the window. */
let onOpened: ((imported: Imported) => void) | null = null;
export function whenOpened(listener: (imported: Imported) => void): void {
  onOpened = listener;
}

/** Called for every change of the notes on a run. */
let onNotesChanged: WindowEvents['notesChanged'] | null = null;
export function whenNotesChanged(listener: WindowEvents['notesChanged']): void {
  onNotesChanged = listener;
}

interface Joining {
  /** Receives the host's events. */
  readonly events: WindowEvents;
  /** Fills the library and the engine list. Rejects if the host can't answer. */
  fill(): Promise<void>;
}

/** Joins a new connection. Events that come while the library is read are handled after it. */
export function joinHost(): Joining {
  const { events, release } = holdEvents(windowEvents);
  return { events, fill: () => refreshAll().finally(release) };
}

async function refreshAll(): Promise<void> {
  const [about, examples, lessons, experiments, runs, profiles, sweeps, recording, slurm] = await Promise.all([
    host().about(),
    host().examples(),
    host().lessons(),
    host().experiments(),
    host().runs(),
    host().profiles(),
    host().sweeps(),
    host().recording(),
    // Everything else works without Slurm.
    host()
      .slurm()
      .catch(() => null),
  ]);
  forgetProfiles();
  setSweeps(sweeps);
  const table = Object.fromEntries(runs.map((run) => [run.id, run]));
  assign({ about, examples, lessons, experiments, runs: table, profiles, slurm, progress: {} });
  catchUp();
  assign({ libraryReady: true });
  if (recording !== null) onRecordingChanged(recording);
  void refreshDevices(false);
}

/** Drops failed loads, and shows runs that ended, after the connection was lost. */
function catchUp(): void {
  const { documents, loadedRuns, pendingRuns, page } = state();
  for (const [key, document] of Object.entries(documents))
    if (document.status !== 'ready') put('documents', key, undefined);
  for (const [id, run] of Object.entries(loadedRuns)) if (run.status !== 'ready') put('loadedRuns', id, undefined);
  for (const id of Object.values(pendingRuns)) if (state().runs[id]?.status !== 'running') void showEnded(id);
  if (page.kind === 'example' || page.kind === 'experiment') void openDocument(page);
}

/** Not awaited, since listing devices may start the engine process. */
export const refreshDevices = (anew: boolean): Promise<void> =>
  attempt('The devices could not be listed', async () => assign({ devices: await host().devices(anew) }));

const listProfiles = newestAnswer(
  () => host().profiles(),
  (profiles) => {
    forgetProfiles();
    assign({ profiles });
  },
);

export const windowEvents: WindowEvents = {
  runProgress: (id, progress) => put('progress', id, progress),
  runChanged: (id, run) => onRunChanged(id, run),
  recordingChanged: onRecordingChanged,
  experimentsChanged: () => void attempt('The experiments could not be listed', listExperiments),
  profilesChanged: () =>
    void attempt('The device profiles could not be listed', async () => {
      await listProfiles();
      await renewRuns();
    }),
  notesChanged: (...change) => onNotesChanged?.(...change),
  sweepChanged: (id, sweep) => {
    onSweepChanged(id, sweep);
    if (sweep !== null) return;
    const isGone = (run: string): boolean => state().runs[run]?.sweep === id;
    const left = <Value>(table: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
      Object.fromEntries(Object.entries(table).filter(([run]) => !isGone(run)));
    assign({ runs: left(state().runs), loadedRuns: left(state().loadedRuns) });
  },
  opened: (imported) => onOpened?.(imported),
  sweepPoint: onSweepPoint,
  remoteChanged: onRemoteChanged,
  engineChanged: (report, problem) => {
    assign({ engineProblem: problem });
    if (report !== null) assign({ devices: report });
  },
};

function onRunChanged(id: string, run: RunSummary | null): void {
  const before = state().runs[id];
  put('runs', id, run ?? undefined);
  if (run?.status !== 'running') put('progress', id, undefined);
  if (run === null) put('loadedRuns', id, undefined);
  if (run === null || before?.status === run.status) return;
  // A file read during the run was incomplete.
  if (before?.status === 'running') put('loadedRuns', id, undefined);
  // A run that has a file, such as a truncated trace, is opened and shows its problem itself.
  if (before?.status === 'running' && run.status === 'failed' && !isShownHere(id)) notifyRunFailed(run);
  if (run.status !== 'running') void showEnded(id);
}

/** Returns true if the page shows this run, or will, and so shows its outcome itself. */
function isShownHere(id: string): boolean {
  const { page } = state();
  if (page.kind === 'compare') return page.runs?.includes(id) === true;
  const document = pageDocumentKey(state());
  return document !== null && (state().pendingRuns[document] === id || shownRunId(state()) === id);
}
