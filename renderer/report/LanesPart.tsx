/** The lanes of a run with zoom, and details of the selected activity. */
import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { IconArrowAutofitWidth, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { exportWords, fileNameOf } from '../../core/export/formats.ts';
import { csvPieces } from '../../core/export/tables/rowTable.ts';
import { placeIterations } from '../../core/export/times.ts';
import { readRow } from '../../core/trace/rows.ts';
import type { Run } from '../../core/trace/run.ts';
import { formatBytes, formatDuration, formatRate, unbroken } from '../../core/units.ts';
import { saveBlob } from '../common/files.ts';
import { Fact, Facts } from '../inspector/Facts.tsx';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { missedIn } from '../store/opened/missed.ts';
import { useApp } from '../store/store.ts';
import { Legend } from '../timeline/Legend.tsx';
import { LanesView } from '../timeline/lanes/LanesView.tsx';
import { LanesSave } from '../timeline/picture/LanesSave.tsx';
import { operationLabels, rowKindWords, rowRate, rowTitle } from '../timeline/rows/describeRow.ts';
import { exactTime } from '../timeline/time/ticks.ts';
import { zoomAt } from '../timeline/time/timeView.ts';
import { type TimeWindow, useTimeWindow } from '../timeline/time/timeWindow.ts';
import { layoutTracks } from '../timeline/tracks/layout.ts';
import { useTimelineKeys } from '../timeline/useTimelineKeys.ts';
import { PaperLanes, usePrinting } from './PaperLanes.tsx';
import classes from './Report.module.css';
import { madeOn, type OpenedReportRun } from './readReport.ts';

/** Characters written per chunk. */
const pieceLength = 1 << 20;

function saveRows(run: Run, title: string): void {
  const pieces = csvPieces(run, placeIterations(run.trace), { isDue: (length) => length >= pieceLength });
  const { ending, mediaType } = exportWords.csv;
  saveBlob(fileNameOf(title, ending), new Blob([...pieces] as Uint8Array<ArrayBuffer>[], { type: mediaType }));
}

/** The selected activity as text. */
function SelectedRow({ run }: { readonly run: LoadedRun }) {
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

export function LanesPart({ run: { about, loaded } }: { readonly run: OpenedReportRun }) {
  const [iteration, setIteration] = useState<number | null>(null);
  const view = useMemo(() => loaded.view(iteration), [loaded, iteration]);
  const time = useTimeWindow(view.makespanNs);
  useTimelineKeys(loaded, view, time);
  const printing = usePrinting();
  const figures = useCallback(() => saveRows(loaded.run, about.title), [loaded, about]);
  const height = useMemo(() => heightFor(view), [view]);
  if (view.rows.from === view.rows.to) return null;
  return (
    <section aria-label="Lanes">
      <div className={classes['bar']}>
        <h2>Lanes</h2>
        <p className={classes['onScreen']}>
          Ctrl and the wheel zoom, dragging selects, W A S D move, F fits; a click tells what something is.
        </p>
        {loaded.iterations.length < 2 ? null : (
          <Select
            className={classes['onScreen'] ?? ''}
            aria-label="Iteration shown"
            w={170}
            value={String(view.number)}
            data={loaded.iterations.map((number) => ({ value: String(number), label: `Iteration ${number + 1}` }))}
            onChange={(value) => setIteration(value === null ? null : Number(value))}
          />
        )}
        <div className={classes['tools']}>
          <LanesSave run={loaded} view={view} time={time} title={about.title} about={madeOn(about)} figures={figures} />
          <Zoom time={time} />
        </div>
      </div>
      {printing ? (
        <PaperLanes run={loaded} view={view} title={about.title} about={madeOn(about)} shown={time.view} />
      ) : (
        <>
          <div className={classes['lanes']} style={{ height }}>
            <LanesView run={loaded} view={view} window={time} title={about.title} />
          </div>
          <Legend views={[view]} missed={missedIn(loaded, view).size} />
        </>
      )}
      <SelectedRow run={loaded} />
      <p className={classes['note']}>
        {view.rows.to - view.rows.from} activities in {formatDuration(view.makespanNs)}.
      </p>
    </section>
  );
}

/** Returns a height that shows most runs whole; longer ones scroll. */
const heightFor = (view: IterationView): number =>
  Math.min(mostHeight, layoutTracks(view, { height: 0 }).height + aboveLanes);
const mostHeight = 720;
/** Height of minimap and axis. */
const aboveLanes = 52;

function Zoom({ time }: { readonly time: TimeWindow }) {
  const zoom = (factor: number): void =>
    time.move((shown, limits) => zoomAt(shown, (shown.startNs + shown.endNs) / 2, factor, limits));
  const tools = [
    { label: 'Zoom out (S)', icon: <IconZoomOut size={16} />, act: () => zoom(1.5) },
    { label: 'Zoom in (W)', icon: <IconZoomIn size={16} />, act: () => zoom(1 / 1.5) },
    { label: 'Fit everything (F)', icon: <IconArrowAutofitWidth size={16} />, act: () => time.move((_, all) => all) },
  ];
  return (
    <div className={classes['tools']} role="toolbar" aria-label="Tools of the lanes">
      {tools.map(({ label, icon, act }) => (
        <Tooltip key={label} label={label}>
          <ActionIcon aria-label={label} onClick={act}>
            {icon}
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  );
}
