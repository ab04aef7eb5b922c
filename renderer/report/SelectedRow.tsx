/** What is selected in the lanes of a report, in words. */
import { readRow } from '../../core/trace/rows.ts';
import { formatBytes, formatRate, unbroken } from '../../core/units.ts';
import { Fact, Facts } from '../inspector/Facts.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { rowKindWords, rowRate, rowTitle } from '../timeline/rows/describeRow.ts';
import { operationLabels } from '../timeline/rows/operationLabels.ts';
import { exactTime } from '../timeline/time/exactTime.ts';
import classes from './Report.module.css';

export function SelectedRow({ run }: { readonly run: LoadedRun }) {
  const row = useApp(({ selection }) => (selection?.kind === 'row' && selection.run === run.id ? selection.row : null));
  if (row === null) return null;
  const { trace, info } = run.run;
  const read = readRow(trace, row);
  const rate = rowRate(read);
  const verdict = run.verdicts.find((one) => one.row === row || (one.op >= 0 && one.op === read.op));
  return (
    <aside className={classes['selected']} aria-label="Selected activity" role="status">
      <h3>{rowTitle(trace, row, operationLabels(info.experiment))}</h3>
      <Facts>
        <Fact name={rowKindWords[read.kind]}>{read.engine?.name ?? read.lane.name}</Fact>
        <Fact name="Starts">{exactTime(read.startNs)}</Fact>
        {read.durationNs > 0 ? <Fact name="Takes">{exactTime(read.durationNs)}</Fact> : null}
        {read.bytes > 0 ? <Fact name="Size">{formatBytes(read.bytes)}</Fact> : null}
        {rate === null ? null : <Fact name="Rate">{formatRate(rate)}</Fact>}
        {read.kind === 'copy' ? <Fact name="Memory">{`${read.src} → ${read.dst}`}</Fact> : null}
      </Facts>
      {verdict === undefined ? null : (
        <p>
          <strong>{verdict.title}.</strong> {unbroken(verdict.explanation)}
        </p>
      )}
    </aside>
  );
}
