/** Copies in the library: made by an edit of an example or of a run's experiment, or on request. */
import type { Experiment } from '../../core/experiment/experiment.ts';
import { nameOfCopy } from '../../core/experiment/nameOfContent.ts';
import { attempt, host } from './host.ts';
import { listExperiments } from './hostEvents.ts';
import { documentKey, pageHash } from './page.ts';
import { openPage, readExperiment } from './pages.ts';
import { currentExperiment, runsOfPage } from './select.ts';
import { assign, put, state } from './store.ts';
import type { Page, Selection } from './types.ts';

/** The page of the original, for going back. */
export interface Origin {
  readonly page: Page;
  readonly selection: Selection | null;
  readonly iteration: number | null;
  /** Runs of other copies, which existed under the copy's name. */
  readonly otherRuns: ReadonlySet<string>;
}

export interface OwnCopy {
  readonly key: string;
  readonly experiment: Experiment;
  readonly origin: Origin;
}

const copies = new Map<string, Experiment>();

/** Returns the content of a copy as an edit made it during this visit, or null for other documents. */
export const copiedAs = (key: string): Experiment | null => copies.get(key) ?? null;

/** Null after the copy was deleted. */
export function setCopiedAs(key: string, experiment: Experiment | null): void {
  if (experiment === null) copies.delete(key);
  else copies.set(key, experiment);
}

/** Copies the open document into the library, and opens the copy with the same selection; null if that failed. */
export async function makeOwn(): Promise<OwnCopy | null> {
  let made: OwnCopy | null = null;
  await attempt('The experiment could not be copied', async () => {
    const experiment = currentExperiment(state());
    if (experiment === null) return;
    const { page, selection, iteration } = state();
    const id = await host().saveExperiment(null, { ...experiment, name: nameOfCopy(experiment.name) });
    const [copy] = await Promise.all([readExperiment(id), listExperiments()]);
    const key = documentKey({ kind: 'experiment', id });
    put('documents', key, { status: 'ready', value: copy });
    openPage({ kind: 'experiment', id });
    if (selection?.kind !== 'row' && selection?.kind !== 'rows' && selection?.kind !== 'area') assign({ selection });
    const otherRuns = new Set(runsOfPage(state()).map((run) => run.id));
    setCopiedAs(key, copy);
    made = { key, experiment: copy, origin: { page, selection, iteration, otherRuns } };
  });
  return made;
}

/** Returns true if the open copy has runs of its own. */
export const hasOwnRuns = ({ otherRuns }: Origin): boolean => runsOfPage(state()).some(({ id }) => !otherRuns.has(id));

/** Goes back to the original's page. The copy's address is no longer valid. */
export function returnTo({ page, selection, iteration }: Origin): void {
  history.replaceState(null, '', pageHash(page));
  openPage(page);
  assign({ selection, iteration });
}
