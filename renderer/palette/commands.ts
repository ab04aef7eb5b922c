/** Every command of the window, for the palette: what it is called, its keys, and whether it can be used now. */

import { declarationKinds, declarationNames } from '../../core/experiment/edit/declarations.ts';
import { templates } from '../../core/experiment/templates/templates.ts';
import { hasDocument } from '../app/page.ts';
import { cancelCurrent, openPage, runCurrent, saveCopy, select } from '../app/store/actions.ts';
import { newExperiment, redo, saveCurrent, undo } from '../app/store/editing.ts';
import { chooseFiles, exportBundle } from '../app/store/files.ts';
import { isPrediction, shownRunId } from '../app/store/select.ts';
import { assign, state } from '../app/store/store.ts';
import { comparePrediction, compareWith } from '../compare/actions.ts';
import { bundleName } from '../library/bundleName.ts';
import { startSelecting } from '../library/libraryView.ts';
import {
  addDeclared,
  copySelected,
  cutSelected,
  deleteSelected,
  duplicateSelected,
  groupSelected,
  insertTemplate,
  newRange,
  paste,
  resizeSelected,
  startEdge,
  ungroupSelected,
} from '../score/commands.ts';
import { setEditor, wishFocus } from '../score/editor.ts';
import { focusFields } from '../score/focusFields.ts';
import { newSweep, sweepCurrent } from '../sweep/setup.ts';
import { useSweeps } from '../sweep/sweeps.ts';

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly keys?: string;
  readonly act: () => unknown;
}

const command = (group: string, title: string, act: () => unknown, keys?: string): Command => ({
  id: `${group}:${title}`,
  group,
  title,
  act,
  ...(keys === undefined ? {} : { keys }),
});

const always: readonly Command[] = [
  command('Window', 'New experiment', () => newExperiment(), 'Alt N'),
  command('Library', 'Open a file', chooseFiles, 'Ctrl O'),
  command('Library', 'Export all of your own as a bundle', exportEverything),
  command('Library', 'Select several in the library', startSelecting),
  command('Window', 'Compare runs', () => openPage({ kind: 'compare' })),
  command('Learn', 'Lessons', () => openPage({ kind: 'lessons' })),
  command('Learn', 'Glossary', () => openPage({ kind: 'glossary', term: null })),
  command('Window', 'Charts', () => openPage({ kind: 'charts' })),
  command('Sweep', 'New sweep', newSweep),
  command('Window', 'Go to the first page', () => openPage({ kind: 'welcome' })),
  command('Window', 'Show all keys', () => assign({ helpOpen: true }), '?'),
];

/** Need an open document. */
const ofDocument: readonly Command[] = [
  command('Run', 'Run what is open', runCurrent, 'Ctrl Enter'),
  command('Run', 'Cancel the run', cancelCurrent),
  command('Sweep', 'Sweep over numbers of this experiment', () => sweepCurrent()),
  command('Run', 'Compare the run with its prediction', () => withShownRun(comparePrediction)),
  command('Run', 'Compare the run with another', () => withShownRun(compareWith)),
  command('Experiment', 'Save', saveCurrent, 'Ctrl S'),
  command('Experiment', 'Save a copy', saveCopy),
  command('Experiment', 'Name, description and environment', () => {
    select({ kind: 'experiment' });
    focusFields();
  }),
  command('Edit', 'Go to the score', () => setTimeout(wishFocus, 60)),
  command('Experiment', 'Show as score', () => setEditor({ view: 'score' })),
  command('Experiment', 'Show as JSON', () => setEditor({ view: 'json' })),
  command('Experiment', 'Show what it is built from', () => setEditor({ side: 'build' })),
  command('Edit', 'Add an operation', () => setEditor({ pickerOpen: true, view: 'score' }), 'A'),
  command('Edit', 'Undo', undo, 'Ctrl Z'),
  command('Edit', 'Redo', redo, 'Ctrl Shift Z'),
  command('Edit', 'Cut', cutSelected, 'Ctrl X'),
  command('Edit', 'Copy', copySelected, 'Ctrl C'),
  command('Edit', 'Paste', paste, 'Ctrl V'),
  command('Edit', 'Duplicate', duplicateSelected, 'Ctrl D'),
  command('Edit', 'Delete', deleteSelected, 'Del'),
  command('Edit', 'Repeat what is selected', () => groupSelected(), 'Ctrl G'),
  command('Edit', 'Put what is selected in a range', () => groupSelected(newRange), 'Ctrl Alt G'),
  command('Edit', 'Longer or larger', () => resizeSelected(1), '+'),
  command('Edit', 'Shorter or smaller', () => resizeSelected(-1), '−'),
  command('Edit', 'Ungroup', ungroupSelected, 'Ctrl Shift G'),
  command('Edit', 'Draw an event edge', startEdge, 'E'),
  ...declarationKinds.map((kind) => command('Declare', `Add a ${declarationNames[kind]}`, () => addDeclared(kind))),
  ...templates.map((template) => command('Templates', `Insert ${template.title}`, () => insertTemplate(template))),
];

function withShownRun(act: (id: string) => unknown): void {
  const id = shownRunId(state());
  if (id !== null && !isPrediction(id)) act(id);
}

/** All that doesn't ship with the program and can be read. */
function exportEverything(): Promise<void> {
  const { experiments, runs } = state();
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
  return exportBundle(items, bundleName('copyscope library'));
}

export function commandsNow(): readonly Command[] {
  const { page } = state();
  return hasDocument(page) ? [...ofDocument, ...always] : always;
}
