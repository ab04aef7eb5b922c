/** Exports runs in the formats of other viewers and data tools. */
import { type ExportFormat, exportWords } from '../../core/export/formats.ts';
import { fileOfRun } from '../store/runs.ts';
import { isPrediction, loadedRun, shownRunId } from '../store/select.ts';
import { state } from '../store/store.ts';
import type { RunSource } from './exportMessages.ts';
import { makeAndSave } from './makeExport.ts';

export const exportKeptRun = (id: string, format: ExportFormat): Promise<void> =>
  exportSource(() => fileOfRun(id), format);

/** Exports what the timeline shows: a run, or a prediction, which only this window has. */
export async function exportShownRun(format: ExportFormat): Promise<void> {
  const shown = loadedRun(state(), shownRunId(state()));
  if (shown === null) return;
  await (isPrediction(shown.id) ? exportSource(async () => shown.run, format) : exportKeptRun(shown.id, format));
}

const exportSource = (source: () => Promise<RunSource>, format: ExportFormat): Promise<void> =>
  makeAndSave({
    title: `Exporting ${exportWords[format].purpose}`,
    problem: 'The run could not be exported',
    request: async () => ({ kind: 'run', source: await source(), format }),
  });
