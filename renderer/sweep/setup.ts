/** Begins a sweep: from a template, the open document, one of its fields, a file, or an earlier sweep. */
import { create } from 'zustand';
import type { SweepDocument } from '../../core/apps/sweep/document.ts';
import { requireSweep } from '../../core/apps/sweep/parse.ts';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { maxExperimentCharacters, requireExperiment } from '../../core/experiment/parse.ts';
import { fieldPath } from '../../core/shape/path.ts';
import { readFileText } from '../common/files.ts';
import { openPage } from '../store/pages.ts';
import { currentExperiment } from '../store/select.ts';
import { forget, recall, remember } from '../store/settings.ts';
import { state } from '../store/store.ts';
import { axisFor, choicesOf, draftOf, type SweepDraft, suggestedAxis } from './draft.ts';

const storedAs = 'sweep-draft';

/** 7 chunk sizes by 5 numbers of streams, which explains sweeps well. */
const first: SweepDraft = {
  name: 'Chunk size by streams',
  description: '',
  base: { kind: 'template', template: 'chunked-pipeline', parameters: { bytes: '64 MiB' } },
  axes: [
    {
      ...suggestedAxis(undefined),
      target: 'chunkBytes',
      from: '512 KiB',
      to: '32 MiB',
      points: '7',
    },
    { ...suggestedAxis(undefined), target: 'streams', as: 'list', list: '1, 2, 3, 4, 5' },
  ],
  iterations: '',
};

/** Returns the form's content from the last visit; the default if it can't be read. */
function stored(): SweepDraft {
  try {
    const draft = JSON.parse(recall(storedAs) ?? '') as SweepDraft;
    if (draft.base.kind === 'experiment') requireExperiment(draft.base.experiment);
    const isWhole = Array.isArray(draft.axes) && draft.axes.length > 0 && typeof draft.name === 'string';
    return isWhole ? { ...draft, description: draft.description ?? '' } : first;
  } catch {
    return first;
  }
}

export const useDraft = create<SweepDraft>()(() => stored());

export function setDraft(change: Partial<SweepDraft>): void {
  useDraft.setState(change);
  remember(storedAs, JSON.stringify(useDraft.getState()));
}

export function newSweep(): void {
  forget(storedAs);
  useDraft.setState(first);
  openPage({ kind: 'sweep-setup' });
}

/** Begins a sweep of the open document, or of its field at `path`. */
export function sweepCurrent(path?: readonly (string | number)[]): void {
  const experiment = currentExperiment(state());
  if (experiment === null) newSweep();
  else sweepOf(experiment, path);
}

function sweepOf(experiment: Experiment, path?: readonly (string | number)[]): void {
  const base = { kind: 'experiment', experiment } as const;
  const choices = choicesOf({ base });
  const wanted = path === undefined ? undefined : fieldPath(path);
  const chosen = choices.find(({ target }) => target === wanted) ?? choices.find(({ unit }) => unit === 'B');
  setDraft({
    name: `Sweep of ${experiment.name}`.slice(0, 200),
    description: '',
    base,
    axes: [axisFor({ base }, chosen ?? choices[0])],
    iterations: '',
  });
  openPage({ kind: 'sweep-setup' });
}

/** Opens a sweep in the form, to change it and run it as another. Throws `sweep.invalid`. */
export function changeSweep(document: SweepDocument, iterations: number | null): void {
  const plan = requireSweep(document);
  const { base } = plan.document;
  const experiment = base.experiment === undefined ? null : requireExperiment(base.experiment);
  setDraft(draftOf(plan, experiment, iterations));
  openPage({ kind: 'sweep-setup' });
}

/** Opens a sweep document from a file. Throws `file.too-large` or `sweep.invalid`. */
export async function openSweepFile(file: File): Promise<void> {
  const plan = requireSweep(await readFileText(file, maxExperimentCharacters));
  if (plan.count < 1) throw new CopyscopeError({ code: 'sweep.invalid', message: 'The sweep has no point.' });
  changeSweep(plan.document, null);
}
