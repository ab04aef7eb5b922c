/** Commands of the score and of its document. Their keys work while the score has the focus, and the timeline's don't. */
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconBrackets,
  IconBracketsOff,
  IconCode,
  IconCopy,
  IconDeviceFloppy,
  IconFold,
  IconPlus,
  IconRepeat,
  IconTrash,
  IconVectorSpline,
} from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { declarationKinds } from '../../core/experiment/edit/declarations.ts';
import { addWords } from '../../core/experiment/operations/fields.ts';
import { templates } from '../../core/experiment/templates/templates.ts';
import { type Command, commandOf, commands, historyKeys } from '../commands/command.ts';
import { redo, takeOverTyped, undo } from '../store/editing/edit.ts';
import { saveCurrent } from '../store/editing/save.ts';
import { makeOwn } from '../store/ownCopy.ts';
import { currentExperiment, pageDocumentKey } from '../store/select.ts';
import { showLeft } from '../store/sidePanels.ts';
import { select, state } from '../store/store.ts';
import type { AppState, Cell } from '../store/types.ts';
import { blockAt } from './cells.ts';
import { cursorNow, setCursor } from './cursor.ts';
import { dropFocusWish, editor, focusFields, setEditor, showCodeBeside, wishFocus } from './editor.ts';
import {
  addDeclared,
  changeRow,
  copySelected,
  cutSelected,
  deleteSelected,
  duplicateSelected,
  edgeTo,
  extentAt,
  groupSelected,
  insertTemplate,
  newRange,
  paste,
  resizeSelected,
  shiftSelected,
  startEdge,
  toggleFold,
  ungroupSelected,
} from './edits.ts';
import { type ScoreLayout, scoreLayout } from './scoreLayout.ts';
import { selectedId, selectedIds } from './selectedOp.ts';

const edits = (now: AppState) => now.edits[pageDocumentKey(now) ?? ''];
const anySelected = (now: AppState): boolean => selectedId(now) !== null;

function canBeResized(now: AppState): boolean {
  const id = selectedId(now);
  return id !== null && extentAt(id) !== null;
}

export const experimentCommands = commands('Experiment', {
  save: {
    name: 'Save',
    keys: ['mod S'],
    icon: IconDeviceFloppy,
    when: (now) => now.page.kind === 'experiment' && edits(now)?.dirty === true,
    // Text that a field refuses stays in it, and in the draft.
    run: () => takeOverTyped().then(saveCurrent),
  },
  saveCopy: { name: 'Save a copy', run: makeOwn },
  settings: {
    name: 'Name, description and environment',
    run: () => {
      select({ kind: 'experiment' });
      focusFields();
    },
  },
  score: { name: 'Show as score', run: () => setEditor({ view: 'score' }) },
  json: { name: 'Show as JSON', run: () => setEditor({ view: 'json' }) },
  code: { name: 'Show as code (CUDA C++ or PyTorch)', run: () => setEditor({ view: 'code' }) },
  beside: {
    name: 'Code next to the score',
    icon: IconCode,
    run: () => showCodeBeside(!(editor().codeBeside && editor().view === 'score')),
  },
  build: { name: 'Show what it is built from', run: () => showLeft('build') },
});

/** They work everywhere but in text fields, which have their own. */
export const historyCommands = commands('Edit', {
  undo: { name: 'Undo', keys: historyKeys.undo, icon: IconArrowBackUp, when: (now) => !!edits(now)?.undo, run: undo },
  redo: {
    name: 'Redo',
    keys: historyKeys.redo,
    icon: IconArrowForwardUp,
    when: (now) => !!edits(now)?.redo,
    run: redo,
  },
});

export const scoreCommands = commands('Edit', {
  go: { name: 'Go to the score', run: () => setTimeout(wishFocus, 60) },
  add: {
    name: 'Add an operation',
    help: 'Add an operation here, as “copy 64 MB pinned in side”',
    keys: ['A', 'Insert'],
    icon: IconPlus,
    run: () => {
      dropFocusWish();
      setEditor({ pickerOpen: true, view: 'score' });
    },
  },
  cut: { name: 'Cut', keys: ['mod X'], when: anySelected, run: cutSelected },
  copy: { name: 'Copy', keys: ['mod C'], when: anySelected, run: copySelected },
  paste: { name: 'Paste', keys: ['mod V'], when: () => editor().clipboard !== null, run: paste },
  duplicate: { name: 'Duplicate', keys: ['mod D'], icon: IconCopy, when: anySelected, run: duplicateSelected },
  delete: { name: 'Delete', keys: ['Delete', 'Backspace'], icon: IconTrash, when: anySelected, run: deleteSelected },
  repeat: {
    name: 'Repeat what is selected',
    keys: ['mod G'],
    icon: IconRepeat,
    when: anySelected,
    run: () => groupSelected(),
  },
  range: {
    name: 'Put what is selected in a range',
    keys: ['mod alt G'],
    icon: IconBrackets,
    when: anySelected,
    run: () => groupSelected(newRange),
  },
  ungroup: { name: 'Ungroup', keys: ['mod shift G'], icon: IconBracketsOff, when: anySelected, run: ungroupSelected },
  // F alone fits the selection in the lanes, here too.
  fold: {
    name: 'Fold or unfold',
    help: 'Fold a range into one block, or unfold it',
    keys: ['shift F'],
    icon: IconFold,
    when: anySelected,
    run: () => toggleFold(),
  },
  edge: {
    name: 'Draw an event edge',
    help: 'Begin an event edge; Enter ends it',
    keys: ['E'],
    icon: IconVectorSpline,
    when: anySelected,
    run: startEdge,
  },
  longer: { name: 'Longer or larger', keys: ['+', '='], when: canBeResized, run: () => resizeSelected(1) },
  shorter: { name: 'Shorter or smaller', keys: ['-'], when: canBeResized, run: () => resizeSelected(-1) },
  earlier: { name: 'Move earlier', keys: ['alt ArrowLeft'], when: anySelected, run: () => shiftSelected(-1) },
  later: { name: 'Move later', keys: ['alt ArrowRight'], when: anySelected, run: () => shiftSelected(1) },
  rowAbove: { name: 'Move to the row above', keys: ['alt ArrowUp'], when: anySelected, run: () => changeRow(-1) },
  rowBelow: { name: 'Move to the row below', keys: ['alt ArrowDown'], when: anySelected, run: () => changeRow(1) },
});

const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];

/** Commands of the score's keys alone. `key` is the pressed one. */
export const scoreMoves = commands<[key: string]>('Score', {
  go: { name: 'Go from cell to cell', keys: arrows, run: (key) => goTo(key, false) },
  extend: {
    name: 'Select from cell to cell',
    keys: arrows.map((key) => `shift ${key}`),
    run: (key) => goTo(key, true),
  },
  enter: { name: 'Open the fields; Esc leads back', keys: ['Enter', 'Space'], run: enter },
  all: { name: 'Select all', keys: ['mod A'], run: selectAll },
  nothing: { name: 'Select nothing', keys: ['Escape'], run: letGo },
});

/** Everything that can be done with an open experiment, for the palette. */
export const documentCommands: readonly Command[] = [
  ...Object.values(experimentCommands),
  ...Object.values(historyCommands),
  ...Object.values(scoreCommands),
  ...declarationKinds.map((kind) => ({
    id: `Declare.${kind}`,
    group: 'Declare',
    name: addWords(kind),
    run: () => addDeclared(kind),
  })),
  ...templates.map((template) => ({
    id: `Templates.${template.title}`,
    group: 'Templates',
    name: `Insert ${template.title}`,
    run: () => insertTemplate(template),
  })),
];

const keyed: readonly Command<[key: string]>[] = [...Object.values(scoreMoves), ...Object.values(scoreCommands)];

/** Keys act on the current document, though the score may draw its last change one frame later. */
export function onScoreKey(event: KeyboardEvent): void {
  const command = currentExperiment(state()) === null ? undefined : commandOf(keyed, event);
  if (command === undefined) return;
  if (command.when === anySelected) selectFocused(event);
  event.preventDefault();
  event.stopPropagation();
  wishFocus();
  // The action may take a while, or move the focus elsewhere.
  const done = command.run(event.key);
  if (done instanceof Promise) void done.then(wishFocus);
}

/** Selects the focused block, unless it is among the selected ones: Tab leads to it without a selection. */
function selectFocused({ target }: KeyboardEvent): void {
  const block = target instanceof Element ? target.closest<HTMLElement>('[data-op]') : null;
  const operation = layoutNow().blocks.find(({ op }) => String(op) === block?.dataset['op'])?.operation;
  if (operation !== undefined && !selectedIds(state()).includes(operation.id)) select({ kind: 'op', id: operation.id });
}

/** Returns the layout of the open document, which onScoreKey has checked for. */
function layoutNow(): ScoreLayout {
  const experiment = currentExperiment(state());
  if (experiment === null) throw new Error('No experiment is open.');
  return scoreLayout(experiment);
}

/** Returns the cell that a key leads to. */
function nextCell(key: string, layout: ScoreLayout): Cell {
  const { row, column } = cursorNow();
  switch (key) {
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) };
    case 'ArrowRight':
      return { row, column: Math.min(layout.columns, column + 1) };
    case 'ArrowUp':
      return { row: Math.max(0, row - 1), column };
    case 'ArrowDown':
      return { row: Math.min(layout.rows.length - 1, row + 1), column };
    default:
      return { row, column: key === 'Home' ? 0 : layout.columns };
  }
}

function goTo(key: string, extend: boolean): void {
  const layout = layoutNow();
  const cell = nextCell(key, layout);
  setCursor(cell);
  const block = blockAt(layout, cell);
  if (block === undefined) {
    if (!extend) select(null);
  } else select({ kind: 'op', id: block.operation.id, others: extend ? selectedIds(state()) : [] });
}

function selectAll(): void {
  const [id, ...others] = layoutNow().blocks.map(({ operation }) => operation.id);
  if (id !== undefined) select({ kind: 'op', id, others });
}

/** Ends the edge being drawn; else opens the fields of a block, or the list of operations at an empty cell. */
function enter(): void {
  const { edgeFrom } = editor();
  const cursor = cursorNow();
  const block = blockAt(layoutNow(), cursor);
  if (edgeFrom !== null && edgeFrom !== block?.operation.id) {
    setEditor({ edgeFrom: null });
    void edgeTo(edgeFrom, cursor);
  } else if (block === undefined) scoreCommands.add.run();
  else {
    select({ kind: 'op', id: block.operation.id });
    focusFields();
  }
}

function letGo(): void {
  if (editor().edgeFrom !== null) setEditor({ edgeFrom: null });
  else select(null);
}
