/** The edits of the score, each one named step. Keys, toolbar, palette and drag all use them. */

import { describeOperation } from '../../core/experiment/describe.ts';
import { type Clipboard, copyOperations, pasteOperations } from '../../core/experiment/edit/clipboard.ts';
import { type DeclarationKind, declare } from '../../core/experiment/edit/declarations.ts';
import { drawEdge } from '../../core/experiment/edit/edge.ts';
import type { Edited } from '../../core/experiment/edit/edit.ts';
import { addOperation } from '../../core/experiment/edit/newOperation.ts';
import {
  deleteOperations,
  duplicateOperations,
  type GroupKind,
  groupOperations,
  insertExperiment,
  moveOperations,
  retargetOperations,
  setField,
  ungroupOperation,
} from '../../core/experiment/edit/operations.ts';
import {
  findPaths,
  listOf,
  type OperationPath,
  operationOf,
  operationPathOf,
  placeAt,
  refused,
  threadOf,
} from '../../core/experiment/edit/paths.ts';
import { type Extent, extentOf, resizeOperation, stepped } from '../../core/experiment/edit/resize.ts';
import { addTyped, type TypedOperation } from '../../core/experiment/edit/typedOperation.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { OperationName, RangeOperation } from '../../core/experiment/operations.ts';
import type { Template } from '../../core/experiment/templates/templates.ts';
import { edit } from '../store/editing/edit.ts';
import { announce } from '../store/notify.ts';
import { currentExperiment } from '../store/select.ts';
import { assign, state } from '../store/store.ts';
import type { Cell } from '../store/types.ts';
import { blockAt, edgeEnd, placeOfCell } from './cells.ts';
import { cursorNow } from './cursor.ts';
import { editor, focusFields, setEditor } from './editor.ts';
import { operationTitle } from './operationTexts.ts';
import { type ScoreBlock, type ScoreLayout, type ScoreRow, scoreLayout } from './scoreLayout.ts';
import { selectedId, selectedIds } from './selectedOp.ts';

/** Returns the paths of the selected operations; empty if there are none. */
function selectedPaths(experiment: Experiment): OperationPath[] {
  const ids = new Set(selectedIds(state()));
  return findPaths(experiment, ({ id }) => ids.has(id), ids.size);
}

/** Returns the thread that issues the selected operation, or the first one. */
function currentThread(experiment: Experiment): number {
  const [path] = selectedPaths(experiment);
  return path === undefined ? 0 : threadOf(path);
}

const inCell = (experiment: Experiment, cell: Cell) =>
  placeOfCell(experiment, scoreLayout(experiment), cell, currentThread(experiment));

export const addAt = (name: OperationName, cell: Cell = cursorNow()): Promise<boolean> =>
  edit(`Add ${operationTitle(name).toLowerCase()}`, (experiment) => {
    const { place, target } = inCell(experiment, cell);
    return addOperation(experiment, name, place, target);
  });

/** Adds an operation typed as 'copy 64 MB pinned in side'. */
export const addTypedAt = (typed: TypedOperation, cell: Cell = cursorNow()): Promise<boolean> =>
  edit(`Add ${operationTitle(typed.name).toLowerCase()}`, (experiment) => {
    const { place, target } = inCell(experiment, cell);
    return addTyped(experiment, typed, place, target);
  });

/** Returns the cursor's cell if it is empty, else the next one, so that an addition follows the block. */
export function freeCell(): Cell {
  const experiment = currentExperiment(state());
  const cell = cursorNow();
  const isFree = experiment === null || blockAt(scoreLayout(experiment), cell) === undefined;
  return isFree ? cell : { ...cell, column: cell.column + 1 };
}

export const insertTemplate = ({ title, build }: Template, cell: Cell = cursorNow()): Promise<boolean> =>
  edit(`Insert ${title}`, (experiment) => insertExperiment(experiment, build(), inCell(experiment, cell).place));

/** Makes a step on the selection; announces it if nothing is selected. */
function onSelected(
  verb: string,
  change: (experiment: Experiment, paths: readonly OperationPath[]) => Edited,
  to = '',
): Promise<boolean> {
  const experiment = currentExperiment(state());
  const paths = experiment === null ? [] : selectedPaths(experiment);
  const [first] = paths;
  if (experiment === null || first === undefined) {
    announce('No operation is selected.');
    return Promise.resolve(false);
  }
  const what =
    paths.length === 1 ? describeOperation(operationOf(experiment, first), experiment) : `${paths.length} operations`;
  // The paths are also valid in the copy of an example, which has the same operations.
  return edit(`${verb} ${what}${to}`, (current) => change(current, paths));
}

export const deleteSelected = (): Promise<boolean> => onSelected('Delete', deleteOperations);
export const duplicateSelected = (): Promise<boolean> => onSelected('Duplicate', duplicateOperations);
export const newRange: GroupKind = { op: 'range', name: 'range' };
export const groupSelected = (kind: GroupKind = { op: 'repeat', count: 10 }): Promise<boolean> =>
  onSelected(kind.op === 'repeat' ? 'Repeat' : 'Group', (experiment, paths) =>
    groupOperations(experiment, paths, kind),
  );
export const ungroupSelected = (): Promise<boolean> =>
  onSelected('Ungroup', (experiment, [path = []]) => ungroupOperation(experiment, path));

/** Folds or unfolds the selected range, or the innermost one around the selection. */
export async function toggleFold(id: string | null = selectedId(state())): Promise<void> {
  const experiment = currentExperiment(state());
  const path = experiment === null || id === null ? undefined : operationPathOf(experiment, id);
  const range = experiment === null || path === undefined ? null : rangeAround(experiment, path);
  if (range === null) {
    announce('The selection is in no range.');
    return;
  }
  const { folded, name } = range.operation;
  await edit(`${folded === true ? 'Unfold' : 'Fold'} ${name}`, (current) =>
    setField(current, [...range.path, 'folded'], folded === true ? undefined : true),
  );
  assign({ selection: { kind: 'op', id: range.operation.id } });
}

/** Returns the outermost folded range that contains the operation or is it, else the innermost range. */
function rangeAround(experiment: Experiment, path: OperationPath) {
  let found: { readonly path: OperationPath; readonly operation: RangeOperation } | null = null;
  for (let length = path.length; length >= 4; length -= 2) {
    const own = path.slice(0, length);
    const operation = operationOf(experiment, own);
    if (operation.op !== 'range') continue;
    if (found === null || operation.folded === true) found = { path: own, operation };
  }
  return found;
}

export function copySelected(): boolean {
  const experiment = currentExperiment(state());
  const paths = experiment === null ? [] : selectedPaths(experiment);
  if (experiment === null || paths.length === 0) return false;
  const clipboard = copyOperations(experiment, paths);
  setEditor({ clipboard });
  announce(`Copied ${counted(clipboard)}`);
  return true;
}

const counted = ({ operations }: Clipboard): string =>
  operations.length === 1 ? 'an operation' : `${operations.length} operations`;

export async function cutSelected(): Promise<void> {
  if (copySelected()) await onSelected('Cut', deleteOperations);
}

/** Pastes before the cursor's cell, with the declarations that this document lacks. */
export async function paste(): Promise<void> {
  const { clipboard } = editor();
  if (clipboard === null) {
    announce('Nothing was copied yet.');
    return;
  }
  await edit(`Paste ${counted(clipboard)}`, (experiment) =>
    pasteOperations(experiment, clipboard, inCell(experiment, cursorNow()).place),
  );
}

/** Changes the quantity behind a block's length by a number of steps; announces it if there is none. */
export async function resizeBy(id: string, steps: number): Promise<void> {
  const extent = extentAt(id);
  if (extent === null) announce('This operation has neither a duration nor a size.');
  else await resizeTo(id, stepped(extent, steps));
}

/** Returns the resizable quantity of an operation in the open document, or null. */
export function extentAt(id: string): Extent | null {
  const experiment = currentExperiment(state());
  const path = experiment === null ? undefined : operationPathOf(experiment, id);
  return experiment === null || path === undefined ? null : extentOf(experiment, operationOf(experiment, path));
}

export async function resizeTo(id: string, value: number): Promise<void> {
  const extent = extentAt(id);
  if (extent === null || extent.value === value) return;
  await edit(`Change ${extent.name} to ${extent.text(value)}`, (experiment) => {
    const path = operationPathOf(experiment, id);
    if (path === undefined) throw refused('There is no such operation any more.', 'Select another.');
    return resizeOperation(experiment, path, value);
  });
}

export const resizeSelected = (steps: number): Promise<void> => {
  const id = selectedId(state());
  if (id !== null) return resizeBy(id, steps);
  announce('No operation is selected.');
  return Promise.resolve();
};

/** Moves one place earlier or later among its neighbours, and out of its group at the group's end. */
export function shiftSelected(by: -1 | 1): Promise<boolean> {
  const change = (experiment: Experiment, paths: readonly OperationPath[]): Edited => {
    const edge = by < 0 ? paths[0] : paths.at(-1);
    if (edge === undefined) throw refused('Nothing is selected.', 'Select an operation first.');
    const { list, index } = placeAt(edge);
    const isAtEnd = by < 0 ? index === 0 : index === listOf(experiment, list).length - 1;
    if (!isAtEnd) return moveOperations(experiment, paths, { list, index: by < 0 ? index - 1 : index + 2 });
    const group = list.slice(0, -1);
    if (group.at(-2) !== 'operations') throw refused('It is there already.', 'Move it the other way.');
    return moveOperations(experiment, paths, placeAt(group, by < 0 ? 'before' : 'after'));
  };
  return onSelected('Move', change, by < 0 ? ' earlier' : ' later');
}

const blockOf = ({ blocks }: ScoreLayout, id: string | null): ScoreBlock | undefined =>
  blocks.find(({ operation }) => operation.id === id);

/** Moves into the row above or below. */
export function changeRow(by: -1 | 1): Promise<boolean> {
  const rowIn = (layout: ScoreLayout): ScoreRow | undefined =>
    layout.rows[(blockOf(layout, selectedId(state()))?.row ?? Number.NaN) + by];
  const change = (experiment: Experiment, paths: readonly OperationPath[]): Edited => {
    const row = rowIn(scoreLayout(experiment));
    if (row === undefined) throw refused('There is no row there.', 'Add a stream first.');
    return retargetOperations(experiment, paths, row.target);
  };
  const experiment = currentExperiment(state());
  return onSelected('Move', change, experiment === null ? '' : toRow(rowIn(scoreLayout(experiment))));
}

const toRow = (row: ScoreRow | undefined): string =>
  row === undefined ? '' : ` to ${row.kind === 'stream' ? 'stream' : 'host thread'} ${row.name}`;

/** Moves the selected blocks, of which `id` was dragged. */
export function moveTo(id: string, cell: Cell): Promise<boolean> {
  if (!selectedIds(state()).includes(id)) assign({ selection: { kind: 'op', id } });
  const changesRow = (layout: ScoreLayout): boolean => blockOf(layout, id)?.row !== cell.row;
  const change = (experiment: Experiment, paths: readonly OperationPath[]): Edited => {
    const layout = scoreLayout(experiment);
    const { place, target } = placeOfCell(experiment, layout, cell, blockOf(layout, id)?.thread ?? 0);
    // Within a row only the order changes; the content of a group keeps its rows.
    return moveOperations(experiment, paths, place, changesRow(layout) && paths.length === 1 ? target : undefined);
  };
  const experiment = currentExperiment(state());
  const layout = experiment === null ? null : scoreLayout(experiment);
  return onSelected('Move', change, layout !== null && changesRow(layout) ? toRow(layout.rows[cell.row]) : '');
}

export const edgeTo = (from: string, cell: Cell): Promise<boolean> =>
  edit('Draw event edge', (experiment) => {
    const path = operationPathOf(experiment, from);
    if (path === undefined) throw refused('Its beginning is gone.', 'Begin the edge again.');
    return drawEdge(experiment, path, edgeEnd(experiment, scoreLayout(experiment), cell, threadOf(path)));
  });

/** Begins an event edge at the selection, or drops the one being drawn. */
export function startEdge(): void {
  const from = selectedId(state());
  setEditor({ edgeFrom: from });
  announce(from === null ? 'Select the operation to begin at.' : 'Event edge: go to where it ends and press Enter.');
}

export const addDeclared = (kind: DeclarationKind): Promise<boolean> => {
  let id = '';
  return edit(`Add ${kind.slice(0, -1)}`, (experiment) => {
    const draft = structuredClone(experiment);
    id = declare(draft, kind);
    return { experiment: draft, selected: [] };
  }).then((done) => {
    if (done) {
      assign({ selection: { kind: 'declaration', list: kind, id } });
      focusFields();
    }
    return done;
  });
};
