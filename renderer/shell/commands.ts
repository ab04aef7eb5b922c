/** All commands of the window: the palette's, those with keys, and the help. */
import { createSpotlight } from '@mantine/spotlight';
import {
  IconChartBar,
  IconColumns,
  IconKeyboard,
  IconLayoutSidebar,
  IconLayoutSidebarRight,
  IconPlayerRecord,
  IconPlus,
  IconSchool,
  IconServer,
} from '@tabler/icons-react';
import { exportFormats, exportWords } from '../../core/export/formats.ts';
import { type LibraryItems, menuCommands } from '../../core/service/service.ts';
import { type Command, commands, type Entry } from '../commands/command.ts';
import { compareLast, comparePrediction } from '../compare/actions.ts';
import { runCommands } from '../engine/RunButton.tsx';
import { reportable, reportShown } from '../files/exportReports.ts';
import { exportBundle, openCommand } from '../files/files.ts';
import { exportShownRun } from '../files/makeExport.ts';
import { itemKeys } from '../library/itemActions.tsx';
import { startSelecting } from '../library/libraryView.ts';
import { triedChanges } from '../plan/planStore.ts';
import { printShown } from '../report/Paper.tsx';
import { documentCommands, experimentCommands, historyCommands, scoreCommands, scoreMoves } from '../score/commands.ts';
import { wishFocus } from '../score/editor.ts';
import { newExperiment } from '../store/editing/library.ts';
import { hasDocument } from '../store/page.ts';
import { openPage } from '../store/pages.ts';
import { comparableRun, currentExperiment, isPrediction, loadedRun, shownRunId } from '../store/select.ts';
import { toggleSide } from '../store/sidePanels.ts';
import { assign, state } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { AppState } from '../store/types.ts';
import { newSweep, sweepCurrent } from '../sweep/setup.ts';
import { timelineCommands } from '../timeline/commands.ts';
import { gutterKeys } from '../timeline/gutter/Gutter.tsx';
import { minimapCommands } from '../timeline/minimap/Minimap.tsx';
import { noteCommands } from '../timeline/notes/noteSteps.ts';
import { goToArea } from './areas.ts';

/** State of the palette. */
export const [paletteStore, palette] = createSpotlight();

const canReport = (now: AppState): boolean => reportable(now) !== null;

const shownCommands = commands('Run', {
  comparePrediction: {
    name: 'Compare the run with its prediction',
    when: canBePredicted,
    run: withShownRun((id) => comparePrediction(id)),
  },
  report: { name: 'Report of what is shown (HTML)', when: canReport, run: () => reportShown(false, triedChanges()) },
  reportRecorded: {
    name: 'Report with paths and names as recorded (HTML)',
    when: canReport,
    run: () => reportShown(true, triedChanges()),
  },
});

export const windowCommands = commands('Window', {
  print: { name: 'Print what is shown', keys: ['mod P'], when: canReport, run: printShown },
  newExperiment: {
    name: 'New experiment',
    keys: ['alt N'],
    icon: IconPlus,
    run: () => newExperiment().then(wishFocus),
  },
  record: {
    name: 'Record a program',
    keys: ['alt R'],
    icon: IconPlayerRecord,
    run: () => openPage({ kind: 'record' }),
  },
  remote: {
    name: 'Connect to a remote host',
    keys: ['alt M'],
    icon: IconServer,
    run: () => openPage({ kind: 'remote' }),
  },
  compare: { name: 'Compare the run with the one before it', icon: IconColumns, run: compareLast },
  charts: { name: 'Charts', icon: IconChartBar, run: () => openPage({ kind: 'charts' }) },
  left: {
    name: 'Show or hide the left panel',
    keys: ['mod B'],
    icon: IconLayoutSidebar,
    run: () => toggleSide('left'),
  },
  inspector: {
    name: 'Show or hide the inspector',
    keys: ['mod alt B'],
    icon: IconLayoutSidebarRight,
    when: (now) => hasDocument(now.page),
    run: () => toggleSide('right'),
  },
  welcome: { name: 'Go to the first page', run: () => openPage({ kind: 'welcome' }) },
  licences: { ...menuCommands.licences, run: () => assign({ licencesOpen: true }) },
});

export const learnCommands = commands('Learn', {
  lessons: { name: 'Lessons', icon: IconSchool, run: () => openPage({ kind: 'lessons' }) },
  glossary: { name: 'Glossary', run: () => openPage({ kind: 'glossary', term: null }) },
});

const libraryCommands = commands('Library', {
  select: { name: 'Select several in the library', when: ({ page }) => page.kind !== 'lesson', run: startSelecting },
  export: { name: 'Export all of your own as a bundle', when: (now) => ownItems(now) !== null, run: exportEverything },
});

const sweepCommands = commands('Sweep', {
  new: { name: 'New sweep', run: newSweep },
  current: { name: 'Sweep over numbers of this experiment', when: isExperimentOpen, run: () => sweepCurrent() },
});

export const helpCommand = commands('Window', {
  help: { name: 'Keyboard and mouse', keys: ['?'], icon: IconKeyboard, run: () => assign({ helpOpen: true }) },
}).help;

export const moveCommands = commands('Window', {
  palette: { name: 'Search commands, experiments, runs, lessons and settings', keys: ['mod K'], run: palette.toggle },
  next: { name: 'To the next part of the window', keys: ['F6'], run: () => goToArea(1) },
  previous: { name: 'To the previous part of the window', keys: ['shift F6'], run: () => goToArea(-1) },
});

const keyed = ({ keys }: Entry): boolean => keys !== undefined;

/** Their keys work everywhere. */
export const windowKeys: readonly Command[] = [
  runCommands.run,
  ...Object.values(moveCommands),
  experimentCommands.save,
  openCommand,
  ...Object.values(windowCommands),
].filter(keyed);

/** Their keys work everywhere but in text fields, which have their own. */
export const outsideFields: readonly Command[] = [helpCommand, ...Object.values(historyCommands)];

/** The palette's commands, available or not. */
export const paletteCommands: readonly Command[] = [
  ...Object.values(runCommands),
  ...Object.values(shownCommands),
  ...exportFormats.map((format) => ({
    id: `Run.export.${format}`,
    group: 'Run',
    name: `Export the shown run ${exportWords[format].purpose}`,
    when: (now: AppState) => loadedRun(now, shownRunId(now)) !== null,
    run: () => exportShownRun(format),
  })),
  ...Object.values(sweepCommands),
  ...documentCommands.map((command) => ({
    ...command,
    when: (now: AppState) => isExperimentOpen(now) && (command.when === undefined || command.when(now)),
  })),
  ...Object.values(windowCommands),
  helpCommand,
  openCommand,
  ...Object.values(libraryCommands),
  ...Object.values(learnCommands),
];

/** Returns the available commands. */
export function commandsNow(): readonly Command[] {
  const now = state();
  return paletteCommands.filter(({ when }) => when === undefined || when(now));
}

interface Area {
  readonly title: string;
  /** No two of them share a key. */
  readonly commands: readonly Entry[];
  /** Gestures, and keys that every field, list or dialog has. */
  readonly gestures?: readonly Entry[];
}

const gesture = (keys: string, name: string): Entry => ({ keys: keys.split(', '), name });

/** The help: every command that has keys, by the part of the window where they work. */
export const areas: readonly Area[] = [
  {
    title: 'Everywhere',
    commands: [...windowKeys, ...outsideFields],
    gestures: [gesture('Escape', 'Close, or select nothing')],
  },
  {
    title: 'Library',
    commands: Object.values(itemKeys),
    gestures: [
      gesture('mod Click', 'Select one more; with Shift: all up to it'),
      gesture('Right-click', 'Open the menu of actions (also the menu key)'),
      gesture('Drop', 'Files anywhere on the window: open them'),
    ],
  },
  {
    title: 'Score',
    commands: [...Object.values(scoreMoves), ...Object.values(scoreCommands).filter(keyed)],
    gestures: [
      gesture('Drag', 'A block to another place; empty cells: select'),
      gesture('Drag', 'From a block’s handle: an event edge'),
      gesture('Drag', 'A block’s lower right corner: longer or shorter'),
      gesture('mod Click', 'Select one more; with Shift: all up to it'),
    ],
  },
  { title: 'Timeline', commands: timelineCommands },
  {
    title: 'Timeline, with the mouse',
    commands: [],
    gestures: [
      gesture('Click', 'Select an activity, and highlight what it is joined with'),
      gesture('Double-click', 'Zoom to it'),
      gesture('Drag', 'Select a stretch of time'),
      gesture('shift Drag', 'Pan'),
      gesture('mod Wheel', 'Zoom at the pointer'),
      gesture('shift Wheel', 'Pan'),
    ],
  },
  { title: 'Notes on the timeline', commands: noteCommands },
  { title: 'Lanes, on a lane’s name', commands: gutterKeys },
  { title: 'Minimap, on the window or its edges', commands: minimapCommands },
  {
    title: 'Lessons, presented',
    commands: [],
    gestures: [
      gesture('ArrowRight, Space, PageDown', 'Go on, by way of the answer'),
      gesture('ArrowLeft, PageUp', 'Back'),
      gesture('Escape', 'End presenting'),
    ],
  },
  {
    title: 'Charts and tables',
    commands: [],
    gestures: [
      gesture('ArrowLeft, ArrowRight, ArrowUp, ArrowDown', 'From point to point, from row to row'),
      gesture('Home, End', 'To the first or last point'),
      gesture('Enter', 'Open the run of the point; select the row'),
      gesture('Delete', 'Delete the note'),
      gesture('Escape', 'Leave'),
    ],
  },
];

function isExperimentOpen(now: AppState): boolean {
  return hasDocument(now.page) && currentExperiment(now) !== null;
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
  if (items !== null) await exportBundle(items, 'copyscope library');
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
