/** All commands of the window for the palette: name, keys, and whether each is available. */
import { declarationKinds, declarationNames } from '../../core/experiment/edit/declarations.ts';
import { templates } from '../../core/experiment/templates/templates.ts';
import { exportFormats, exportWords } from '../../core/export/formats.ts';
import type { LibraryItems } from '../../core/service/service.ts';
import { comparePrediction, compareWith } from '../compare/actions.ts';
import { reportable, reportShown } from '../files/exportReports.ts';
import { chooseFiles, exportBundle } from '../files/files.ts';
import { exportShownRun } from '../files/makeExport.ts';
import { bundleName } from '../library/bundleName.ts';
import { startSelecting } from '../library/libraryView.ts';
import { printShown } from '../report/Paper.tsx';
import {
  addDeclared,
  copySelected,
  cutSelected,
  deleteSelected,
  duplicateSelected,
  extentAt,
  groupSelected,
  insertTemplate,
  newRange,
  paste,
  resizeSelected,
  startEdge,
  toggleFold,
  ungroupSelected,
} from '../score/commands.ts';
import { editor, focusFields, setEditor, wishFocus } from '../score/editor.ts';
import { selectedId } from '../score/selectedOp.ts';
import { redo, undo } from '../store/editing/edit.ts';
import { newExperiment } from '../store/editing/library.ts';
import { saveCurrent } from '../store/editing/save.ts';
import { saveCopy } from '../store/ownCopy.ts';
import { hasDocument } from '../store/page.ts';
import { openPage } from '../store/pages.ts';
import { cancelCurrent, runCurrent } from '../store/runs.ts';
import {
  comparableRun,
  currentExperiment,
  isPrediction,
  loadedRun,
  pageDocumentKey,
  runUnderWay,
  shownRunId,
  whyNoRun,
} from '../store/select.ts';
import { assign, select, state } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { AppState } from '../store/types.ts';
import { newSweep, sweepCurrent } from '../sweep/setup.ts';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly keys?: string;
  /** Returns true if the command is available; left out, it always is. */
  readonly when?: (now: AppState) => boolean;
  readonly act: () => unknown;
}

const command = (
  group: string,
  title: string,
  act: () => unknown,
  options: Pick<Command, 'keys' | 'when'> = {},
): Command => ({ id: `${group}:${title}`, group, title, act, ...options });

const onAnyPage: readonly Command[] = [
  command('Run', 'Cancel the run', cancelCurrent, { when: (now) => runUnderWay(now) !== undefined }),
  command('Run', 'Compare the run with its prediction', withShownRun(comparePrediction), { when: canBePredicted }),
  command('Run', 'Compare the run with another', withShownRun(compareWith), {
    when: (now) => comparableRun(now) !== undefined,
  }),
  ...exportFormats.map((format) =>
    command('Run', `Export the shown run ${exportWords[format].purpose}`, () => exportShownRun(format), {
      when: (now) => loadedRun(now, shownRunId(now)) !== null,
    }),
  ),
  command('Run', 'Report of what is shown (HTML)', () => reportShown(), { when: (now) => reportable(now) !== null }),
  command('Run', 'Report with paths and names as recorded (HTML)', () => reportShown(true), {
    when: (now) => reportable(now) !== null,
  }),
  command('Window', 'Print what is shown', () => printShown(), {
    keys: 'Ctrl P',
    when: (now) => reportable(now) !== null,
  }),
  command('Window', 'New experiment', () => newExperiment(), { keys: 'Alt N' }),
  command('Window', 'Record a program', () => openPage({ kind: 'record' }), { keys: 'Alt R' }),
  command('Window', 'Connect to a remote host', () => openPage({ kind: 'remote' }), { keys: 'Alt M' }),
  command('Library', 'Open a file', chooseFiles, { keys: 'Ctrl O' }),
  command('Library', 'Export all of your own as a bundle', exportEverything, { when: (now) => ownItems(now) !== null }),
  command('Library', 'Select several in the library', startSelecting, { when: ({ page }) => page.kind !== 'lesson' }),
  command('Window', 'Compare runs', () => openPage({ kind: 'compare' })),
  command('Learn', 'Lessons', () => openPage({ kind: 'lessons' })),
  command('Learn', 'Glossary', () => openPage({ kind: 'glossary', term: null })),
  command('Window', 'Charts', () => openPage({ kind: 'charts' })),
  command('Sweep', 'New sweep', newSweep),
  command('Window', 'Go to the first page', () => openPage({ kind: 'welcome' })),
  command('Window', 'Show all keys', () => assign({ helpOpen: true }), { keys: '?' }),
  command('Window', 'Licences of what Copyscope holds', () => assign({ licencesOpen: true })),
];

/** Commands that need an open experiment. */
const ofExperiment: readonly Command[] = [
  command('Run', 'Run what is open', runCurrent, {
    keys: 'Ctrl Enter',
    when: (now) => whyNoRun(now) === null && runUnderWay(now) === undefined,
  }),
  command('Sweep', 'Sweep over numbers of this experiment', () => sweepCurrent()),
  command('Experiment', 'Save', saveCurrent, {
    keys: 'Ctrl S',
    when: (now) => now.page.kind === 'experiment' && edits(now)?.dirty === true,
  }),
  command('Experiment', 'Save a copy', saveCopy),
  command('Experiment', 'Name, description and environment', () => {
    select({ kind: 'experiment' });
    focusFields();
  }),
  command('Edit', 'Go to the score', () => setTimeout(wishFocus, 60)),
  command('Experiment', 'Show as score', () => setEditor({ view: 'score' })),
  command('Experiment', 'Show as JSON', () => setEditor({ view: 'json' })),
  command('Experiment', 'Show as code (CUDA C++ or PyTorch)', () => setEditor({ view: 'code' })),
  command('Experiment', 'Show what it is built from', () => setEditor({ side: 'build' })),
  command('Edit', 'Add an operation', () => setEditor({ pickerOpen: true, view: 'score' }), { keys: 'A' }),
  command('Edit', 'Undo', undo, { keys: 'Ctrl Z', when: (now) => !!edits(now)?.undo }),
  command('Edit', 'Redo', redo, { keys: 'Ctrl Shift Z', when: (now) => !!edits(now)?.redo }),
  command('Edit', 'Cut', cutSelected, { keys: 'Ctrl X', when: anySelected }),
  command('Edit', 'Copy', copySelected, { keys: 'Ctrl C', when: anySelected }),
  command('Edit', 'Paste', paste, { keys: 'Ctrl V', when: () => editor().clipboard !== null }),
  command('Edit', 'Duplicate', duplicateSelected, { keys: 'Ctrl D', when: anySelected }),
  command('Edit', 'Delete', deleteSelected, { keys: 'Del', when: anySelected }),
  command('Edit', 'Repeat what is selected', () => groupSelected(), { keys: 'Ctrl G', when: anySelected }),
  command('Edit', 'Put what is selected in a range', () => groupSelected(newRange), {
    keys: 'Ctrl Alt G',
    when: anySelected,
  }),
  command('Edit', 'Longer or larger', () => resizeSelected(1), { keys: '+', when: canBeResized }),
  command('Edit', 'Shorter or smaller', () => resizeSelected(-1), { keys: '−', when: canBeResized }),
  command('Edit', 'Ungroup', ungroupSelected, { keys: 'Ctrl Shift G', when: anySelected }),
  command('Edit', 'Fold or unfold the range', () => toggleFold(), { keys: 'Shift F', when: anySelected }),
  command('Edit', 'Draw an event edge', startEdge, { keys: 'E', when: anySelected }),
  ...declarationKinds.map((kind) => command('Declare', `Add a ${declarationNames[kind]}`, () => addDeclared(kind))),
  ...templates.map((template) => command('Templates', `Insert ${template.title}`, () => insertTemplate(template))),
];

const edits = (now: AppState) => now.edits[pageDocumentKey(now) ?? ''];

function anySelected(now: AppState): boolean {
  return selectedId(now) !== null;
}

function canBeResized(now: AppState): boolean {
  const id = selectedId(now);
  return id !== null && extentAt(id) !== null;
}

function canBePredicted(now: AppState): boolean {
  const run = comparableRun(now);
  return run !== undefined && run.origin !== 'simulated' && loadedRun(now, run.id)?.run.info.experiment !== null;
}

function withShownRun(act: (id: string) => unknown): () => void {
  return () => {
    const run = comparableRun(state());
    if (run !== undefined) act(run.id);
  };
}

async function exportEverything(): Promise<void> {
  const items = ownItems(state());
  if (items !== null) await exportBundle(items, bundleName('copyscope library'));
}

/** Returns all readable items that aren't built in, or null if there are none. */
function ownItems({ experiments, runs }: AppState): LibraryItems | null {
  const items = {
    experiments: experiments.filter(({ problem }) => problem === undefined).map(({ id }) => id),
    runs: Object.values(runs)
      .filter(
        ({ id, builtIn, status, sweep }) =>
          !builtIn && status === 'complete' && sweep === undefined && !isPrediction(id),
      )
      .map(({ id }) => id),
    sweeps: Object.values(useSweeps.getState().summaries)
      .filter(({ points }) => points > 0)
      .map(({ id }) => id),
  };
  return Object.values(items).some(({ length }) => length > 0) ? items : null;
}

/** Returns the available commands. */
export function commandsNow(): readonly Command[] {
  const now = state();
  const isOpen = hasDocument(now.page) && currentExperiment(now) !== null;
  return [...(isOpen ? ofExperiment : []), ...onAnyPage].filter(({ when }) => when === undefined || when(now));
}
