/** The toolbar above the timeline: choice of content, and the tools of the lanes. */
import { ActionIcon, Indicator, SegmentedControl, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconLink, IconNote } from '@tabler/icons-react';
import { memo, useEffect } from 'react';
import type { Saved } from '../../charts/SaveMenu.tsx';
import { withKeys } from '../../commands/command.ts';
import { OriginBadge } from '../../common/marks.tsx';
import { deviceAndTime, formatDay, ranOnWords } from '../../common/time.ts';
import { useHazardOps } from '../../predict/hazards/useHazards.ts';
import { effectiveEngine } from '../../store/engines.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { pageHash } from '../../store/page.ts';
import { placeQuery } from '../../store/place.ts';
import { currentEngineOptions, ranOn, titleOfLoaded } from '../../store/select.ts';
import { assign, state, useApp, useDerived } from '../../store/store.ts';
import { selectedExtent, viewCommands } from '../commands.ts';
import { ensureNotes } from '../notes/noteReads.ts';
import { openNotes, useNotesOpen, useRunNotes } from '../notes/notes.ts';
import { LanesSave } from '../picture/LanesSave.tsx';
import { type FollowingProps, useFollowedRun } from '../time/timeWindow.ts';
import { LaneFilterButton } from './LaneFilterButton.tsx';
import { LanesButton } from './LanesButton.tsx';
import { IterationPicker, RunPicker } from './RunPickers.tsx';
import { SearchBox } from './SearchBox.tsx';
import classes from './Toolbar.module.css';

/** Copies a link to the shown lanes: page, time range, iteration and selection. */
function LinkTool({ time }: Pick<FollowingProps, 'time'>) {
  const clipboard = useClipboard({ timeout: 1500 });
  const label = clipboard.copied ? 'The link is copied' : 'Copy a link to this view';
  const copy = (): void => {
    const { page, iteration, selection } = state();
    const [hash = ''] = pageHash(page).split('?');
    clipboard.copy(
      `${location.origin}${location.pathname}${hash}${placeQuery({ view: time.view, iteration, selection })}`,
    );
  };
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={copy}>
        {clipboard.copied ? <IconCheck size={16} /> : <IconLink size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** The toolbar's button that opens the list of notes and shows their number. */
function NotesButton({ run: { id } }: { readonly run: LoadedRun }) {
  const { notes } = useRunNotes(id);
  const open = useNotesOpen();
  const connected = useApp((state) => state.connection.status === 'open');
  useEffect(() => {
    if (connected) void ensureNotes(id);
  }, [id, connected]);
  const label = notes.length === 0 ? 'Notes' : `Notes, ${notes.length}`;
  return (
    <Tooltip label={label}>
      <Indicator label={notes.length} size={13} offset={3} fz={9} disabled={notes.length === 0} color="azure">
        <ActionIcon aria-label={label} aria-expanded={open} onClick={() => openNotes(!open)}>
          <IconNote size={16} />
        </ActionIcon>
      </Indicator>
    </Tooltip>
  );
}

interface Props extends FollowingProps {
  readonly saving: Pick<Saved, 'figures' | 'report'>;
}

const { zoomOut, zoomIn, fit } = viewCommands;
const zooms = [zoomOut, zoomIn, fit];

export const Toolbar = memo(function Toolbar({ first, time, saving }: Props) {
  const { run, view } = useFollowedRun(first);
  const as = useApp((state) => state.timelineAs);
  const summary = useApp((state) => state.runs[run.id]);
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
              {zooms.map(({ id, icon: Icon, run: zoom, ...command }) => (
                <Tooltip key={id} label={withKeys(command)}>
                  <ActionIcon
                    aria-label={withKeys(command)}
                    onClick={() => zoom(id === fit.id ? { time } : { time, extent: () => selectedExtent(run, view) })}
                  >
                    {Icon && <Icon size={16} />}
                  </ActionIcon>
                </Tooltip>
              ))}
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
