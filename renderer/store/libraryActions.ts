import { type LibraryItems, runTitle, type SweepSummary } from '../../core/service/service.ts';
import { keepPlace } from '../common/keepPlace.ts';
import { afterFrame } from '../common/scheduling.ts';
import { forgetDocument } from './editing/histories.ts';
import { renameExperiment } from './editing/library.ts';
import { attempt, host } from './host.ts';
import { listExperiments } from './hostEvents.ts';
import { notifyDone } from './notify.ts';
import { documentKey } from './page.ts';
import { openPage } from './pages.ts';
import { state } from './store.ts';
import { useSweeps } from './sweeps.ts';

export type ItemKind = 'experiment' | 'run' | 'sweep';

export interface LibraryItem {
  readonly kind: ItemKind;
  readonly id: string;
}

/** Moves items into the trash, and offers to undo it. */
export async function deleteItems(items: LibraryItems): Promise<void> {
  if (items.experiments.length + items.runs.length + items.sweeps.length === 0) return;
  await attempt(`${capital(countItems(items))} could not be deleted`, async () => {
    const what = nameOf(items);
    const isOpen = isShown(items);
    const giveFocusBack = keepPlace();
    const ticket = await host().deleteItems(items);
    for (const id of items.experiments) forgetDocument(documentKey({ kind: 'experiment', id }));
    if (isOpen) openPage({ kind: 'welcome' });
    afterFrame(giveFocusBack);
    if (ticket === '') return notifyDone('Deleted for good, since the disk is full', what);
    notifyDone('Moved to the trash', what, { label: 'Undo', act: () => void restore(ticket) });
  });
}

/** Returns true if the page shows one of the items, or a run of one of the sweeps. */
function isShown({ experiments, runs, sweeps }: LibraryItems): boolean {
  const { page } = state();
  if (page.kind === 'experiment') return experiments.includes(page.id);
  if (page.kind === 'sweep') return sweeps.includes(page.id);
  return page.kind === 'run' && (runs.includes(page.id) || sweeps.includes(state().runs[page.id]?.sweep ?? ''));
}

const restore = (ticket: string): Promise<void> =>
  attempt('It could not be brought back', async () => {
    await host().restoreItems(ticket);
    await listExperiments();
  });

/** Returns the name of a single item, or the number of items. */
function nameOf(items: LibraryItems): string {
  const [experiment, run, sweep] = [items.experiments[0], items.runs[0], items.sweeps[0]];
  if (items.experiments.length + items.runs.length + items.sweeps.length > 1) return capital(countItems(items));
  if (sweep !== undefined) return nameOfSweep(useSweeps.getState().summaries[sweep]);
  if (run !== undefined) return nameOfItem({ kind: 'run', id: run });
  return experiment === undefined ? '' : nameOfItem({ kind: 'experiment', id: experiment });
}

function nameOfSweep(sweep: SweepSummary | undefined): string {
  if (sweep === undefined || sweep.done === 0) return sweep?.name ?? '';
  return `${sweep.name}, with its ${sweep.done === 1 ? 'run' : `${sweep.done} runs`}`;
}

const listed = new Intl.ListFormat('en', { type: 'conjunction' });

export function countItems({ experiments, runs, sweeps }: LibraryItems): string {
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const parts = [
    ...(experiments.length > 0 ? [count(experiments.length, 'experiment')] : []),
    ...(runs.length > 0 ? [count(runs.length, 'run')] : []),
    ...(sweeps.length > 0 ? [count(sweeps.length, 'sweep')] : []),
  ];
  return parts.length === 0 ? 'nothing' : listed.format(parts);
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Returns the item's name in the library. */
export function nameOfItem({ kind, id }: LibraryItem): string {
  if (kind === 'sweep') return useSweeps.getState().summaries[id]?.name ?? '';
  const { experiments, runs } = state();
  if (kind === 'experiment') return experiments.find((one) => one.id === id)?.name ?? '';
  return runs[id] === undefined ? '' : runTitle(runs[id]);
}

/** Renames an item. A run with an empty name gets its experiment's name again. */
export const renameItem = (item: LibraryItem, name: string): Promise<void> =>
  attempt(`The ${item.kind} could not be renamed`, async () => {
    const shown = nameOfItem(item);
    const given = item.kind === 'run' ? (state().runs[item.id]?.title ?? '') : shown;
    await giveName(item, name);
    const undo = () =>
      void attempt(`The ${item.kind} could not be called “${shown}” again`, () => giveName(item, given));
    notifyDone('Renamed', name === '' ? shown : `“${shown}” is now “${name}”.`, { label: 'Undo', act: undo });
  });

function giveName({ kind, id }: LibraryItem, name: string): Promise<void> {
  if (kind === 'experiment') return renameExperiment(id, name);
  return kind === 'run' ? host().renameRun(id, name) : host().renameSweep(id, name);
}
