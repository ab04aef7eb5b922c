/** The user’s own experiments: new ones, copies and names. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { freeNewName, nameOfCopy } from '../../../core/experiment/nameOfContent.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { attempt, host } from '../host.ts';
import { listExperiments } from '../hostEvents.ts';
import { documentKey } from '../page.ts';
import { openPage, readExperiment } from '../pages.ts';
import { showLeft } from '../sidePanels.ts';
import { put, state } from '../store.ts';
import { histories, show } from './histories.ts';

/** Creates an empty experiment in the library and opens it. */
export const newExperiment = (experiment?: Experiment): Promise<void> =>
  attempt('The experiment could not be made', async () => {
    const taken = new Set(state().experiments.map(({ name }) => name));
    const id = await host().saveExperiment(null, experiment ?? emptyExperiment(freeNewName(taken)));
    await listExperiments();
    openPage({ kind: 'experiment', id });
    if (experiment === undefined) showLeft('build');
  });

export const duplicateExperiment = (id: string): Promise<void> =>
  attempt('The experiment could not be copied', async () => {
    const experiment = await readExperiment(id);
    await newExperiment({ ...experiment, name: nameOfCopy(experiment.name) });
  });

/** Renames an experiment of the library. If it is open, that is a step that can be undone. */
export async function renameExperiment(id: string, name: string): Promise<void> {
  const key = documentKey({ kind: 'experiment', id });
  const history = histories.get(key);
  const before = history?.saved ?? (await readExperiment(id));
  const renamed = { ...before, name };
  await host().saveExperiment(id, renamed);
  if (history !== undefined) {
    const isSaved = !history.dirty;
    history.push('Rename', { ...history.experiment, name });
    history.keep(isSaved ? history.experiment : renamed);
    show(key, history);
  } else if (state().documents[key] !== undefined) put('documents', key, { status: 'ready', value: renamed });
  await listExperiments();
}
