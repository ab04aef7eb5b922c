import { VisuallyHidden } from '@mantine/core';
import { formatDuration } from '../../core/units.ts';
import type { HazardsByOp } from '../predict/hazards/hazardsByOp.ts';
import { useHazardOps } from '../predict/hazards/useHazards.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { rowSentence } from './rows/describeRow.ts';
import { operationLabels } from './rows/operationLabels.ts';

/** Returns the signs that the lanes show on a row as text, for screen readers. */
function signWords({ missed, run }: LoadedRun, row: number, hazards: HazardsByOp): string {
  const verdict = missed.get(row);
  const found = hazards.get(run.trace.columns.op[row] ?? -1) ?? [];
  const titles = [...new Set(found.map(({ title }) => ` Hazard: ${title}.`))];
  return [...(verdict === undefined ? [] : [` No overlap: ${verdict.title}.`]), ...titles].join('');
}

/** Announces the selection to screen readers. */
export function SelectionAnnouncer({ run }: { readonly run: LoadedRun }) {
  const hazards = useHazardOps(run);
  const selection = useApp((state) => state.selection);
  const { trace, info } = run.run;
  const text =
    selection?.kind === 'row' && selection.run === run.id
      ? [
          rowSentence(trace, selection.row, operationLabels(info.experiment)),
          signWords(run, selection.row, hazards),
        ].join('')
      : selection?.kind === 'area' && selection.run === run.id
        ? `Selected ${formatDuration(selection.endNs - selection.startNs)}.`
        : selection?.kind === 'rows' && selection.run === run.id
          ? `Selected ${selection.title}.`
          : '';
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="timeline-announcement">
      {text}
    </VisuallyHidden>
  );
}
