/** The toolbar above the timeline: choice of content, and the tools of the lanes. */
import { ActionIcon, SegmentedControl, Tooltip } from '@mantine/core';
import { IconArrowAutofitWidth, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { memo } from 'react';
import type { Saved } from '../../charts/SaveMenu.tsx';
import { OriginBadge } from '../../common/Origin.tsx';
import { deviceAndTime, ranOnWords } from '../../common/ranOn.ts';
import { formatDay } from '../../common/time.ts';
import { useHazardOps } from '../../predict/hazards/useHazards.ts';
import { effectiveEngine } from '../../store/engines.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentEngineOptions, ranOn, titleOfLoaded } from '../../store/select.ts';
import { assign, useApp } from '../../store/store.ts';
import { useDerived } from '../../store/useDerived.ts';
import { type FollowingProps, useFollowedRun } from '../followedRun.ts';
import { NotesButton } from '../notes/NotesButton.tsx';
import { LanesSave } from '../picture/LanesSave.tsx';
import { zoomAnchor, zoomAt } from '../time/timeView.ts';
import { selectedExtent } from '../useTimelineKeys.ts';
import { LaneFilterButton } from './LaneFilterButton.tsx';
import { LanesButton } from './LanesButton.tsx';
import { LinkTool } from './LinkTool.tsx';
import { IterationPicker, RunPicker } from './RunPickers.tsx';
import { SearchBox } from './SearchBox.tsx';
import classes from './Toolbar.module.css';

interface Props extends FollowingProps {
  readonly saving: Pick<Saved, 'figures' | 'report'>;
}

export const Toolbar = memo(function Toolbar({ first, time, saving }: Props) {
  const { run, view } = useFollowedRun(first);
  const as = useApp((state) => state.timelineAs);
  const summary = useApp((state) => state.runs[run.id]);
  const zoom = (factor: number): void =>
    time.move((shown, limits) => zoomAt(shown, zoomAnchor(shown, selectedExtent(run, view)), factor, limits));
  return (
    <div className={classes['toolbar']} role="toolbar" aria-label="Timeline tools">
      {run.run.info.status === 'complete' ? <h2 className={classes['word'] ?? ''}>Timeline</h2> : <h2>Partial</h2>}
      {summary === undefined ? null : <OriginBadge origin={summary.origin} />}
      <RunPicker run={run} />
      <IterationPicker run={run} />
      <span className={classes['space']}>
        <Provenance run={run} />
      </span>
      <SearchBox run={run} view={view} time={time} />
      {as === 'lanes' ? (
        <>
          <span className={classes['break']} />
          <div className={classes['tools']}>
            <NotesButton run={run} />
            <LanesButton run={run} view={view} />
            <LinkTool time={time} />
            <LaneFilterButton run={run} view={view} />
            <span className={classes['zooms']}>
              <Tool label="Zoom out (S)" onClick={() => zoom(1.5)} icon={<IconZoomOut size={16} />} />
              <Tool label="Zoom in (W)" onClick={() => zoom(1 / 1.5)} icon={<IconZoomIn size={16} />} />
              <Tool
                label="Fit everything (F)"
                onClick={() => time.move((_, limits) => limits)}
                icon={<IconArrowAutofitWidth size={16} />}
              />
            </span>
            <SaveLanes run={run} view={view} time={time} saving={saving} />
          </div>
        </>
      ) : null}
      <SegmentedControl
        size="xs"
        aria-label="Show as"
        value={as}
        onChange={(value) => assign({ timelineAs: value === 'table' || value === 'charts' ? value : 'lanes' })}
        data={[
          { value: 'lanes', label: 'Lanes' },
          { value: 'table', label: 'Table' },
          { value: 'charts', label: 'Charts' },
        ]}
      />
    </div>
  );
});

interface SaveProps extends Pick<Props, 'time' | 'saving'> {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

function SaveLanes({ run, view, time, saving }: SaveProps) {
  const title = useApp((state) => titleOfLoaded(state, run));
  const summary = useApp((state) => state.runs[run.id]);
  const hazards = useHazardOps(run);
  const about = summary === undefined ? 'simulated' : deviceAndTime(ranOnWords(summary), formatDay(summary.createdAt));
  return <LanesSave run={run} view={view} time={time} title={title} about={about} hazards={hazards} {...saving} />;
}

/** Device and day of a recording; for other runs, a note if they come from another engine than the picked one. */
function Provenance({ run }: { readonly run: LoadedRun }) {
  const engine = useDerived((state) => effectiveEngine(currentEngineOptions(state), state.engine));
  const summary = useApp((state) => state.runs[run.id]);
  if (summary === undefined) return null;
  const words =
    summary.origin === 'recorded'
      ? deviceAndTime(summary.device, formatDay(summary.createdAt))
      : engine === null || ranOn(summary, engine)
        ? null
        : 'another engine’s run';
  return words === null ? null : <span title={words}>{words}</span>;
}

interface ToolProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly icon: React.ReactNode;
}

function Tool({ label, onClick, icon }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
