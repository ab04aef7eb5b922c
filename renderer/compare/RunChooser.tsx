import { Button, Checkbox, CloseButton, Popover, TextInput } from '@mantine/core';
import { IconListCheck, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { type RunSummary, runTitle } from '../../core/service/service.ts';
import { formatDuration } from '../../core/units.ts';
import { OriginBadge } from '../common/marks.tsx';
import { formatMoment } from '../common/time.ts';
import { openPage } from '../store/pages.ts';
import { byNewest, fitsComparison, isPrediction } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './ComparePage.module.css';
import { setCompare, useCompare } from './compareStore.ts';

/**
 * Returns the runs of `first` in its order, then the user's own, then built-in ones. A built-in trace that was also
 * opened as a file counts as the user's own.
 */
export function offered(
  runs: Readonly<Record<string, RunSummary>>,
  chosen: readonly string[],
  first: readonly string[] = [],
): RunSummary[] {
  const complete = Object.values(runs).filter(({ id, status }) => status === 'complete' && !isPrediction(id));
  const own = complete.filter(({ builtIn }) => !builtIn);
  const recordings = new Set(own.map(recordingOf));
  const shipped = complete.filter(
    (run) => run.builtIn && (chosen.includes(run.id) || !recordings.has(recordingOf(run))),
  );
  const all = [...own.sort(byNewest), ...shipped.sort(byNewest)];
  const places = new Map(first.map((id, place) => [id, place]));
  const place = ({ id }: RunSummary): number => places.get(id) ?? first.length;
  return all.sort((a, b) => place(a) - place(b));
}

/** Returns the same key for two files of one recording. */
const recordingOf = ({ name, createdAt, makespanNs }: RunSummary): string => `${createdAt} ${makespanNs} ${name}`;

/** The list that chooses the compared runs from all complete runs. */
export function RunChooser({ ids }: { readonly ids: readonly string[] }) {
  const opened = useCompare((state) => state.chooserOpen);
  return (
    <Popover
      position="bottom-end"
      width={460}
      trapFocus
      withinPortal
      opened={opened}
      onChange={(chooserOpen) => setCompare({ chooserOpen })}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconListCheck size={15} aria-hidden />}
          onClick={() => setCompare({ chooserOpen: !opened })}
        >
          Choose runs
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={8}>
        <Choices ids={ids} />
      </Popover.Dropdown>
    </Popover>
  );
}

const nameOf = (run: RunSummary): string =>
  `${runTitle(run)} ${run.name} ${run.origin} ${run.device} ${formatMoment(run.createdAt)}`;

function Choices({ ids }: { readonly ids: readonly string[] }) {
  const runs = useApp((state) => state.runs);
  const [query, setQuery] = useState('');
  // The choice when the list was opened, so that no row moves while it is clicked.
  const [chosenBefore] = useState(ids);
  const chosen = ids.flatMap((id) => runs[id] ?? []);
  const words = query.toLowerCase().split(/\s+/);
  const complete = offered(runs, ids, chosenBefore)
    // Sweeps have many points: they are found by searching only.
    .filter(({ sweep }) => sweep === undefined || query !== '');
  const found = complete.filter((run) => words.every((word) => nameOf(run).toLowerCase().includes(word)));
  return (
    <>
      <TextInput
        size="xs"
        mb={6}
        aria-label="Search runs"
        placeholder={`Search ${complete.length} runs by name, device or day`}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          query === '' ? null : <CloseButton size="xs" aria-label="Clear the search" onClick={() => setQuery('')} />
        }
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        data-autofocus
      />
      <Checkbox.Group
        value={[...ids]}
        onChange={(chosen) => openPage({ kind: 'compare', runs: chosen })}
        aria-label="Runs compared"
      >
        <div className={classes['choices']}>
          {found.map((run) => (
            <Checkbox
              key={run.id}
              value={run.id}
              size="xs"
              className={classes['choice'] ?? ''}
              disabled={!ids.includes(run.id) && !fitsComparison([...chosen, run])}
              label={<Choice run={run} letter={ids.includes(run.id) ? letterOf(ids.indexOf(run.id)) : null} />}
            />
          ))}
          {found.length === 0 ? <p className={classes['none']}>No run has that name.</p> : null}
        </div>
      </Checkbox.Group>
      <p className={classes['none']}>
        The first one chosen, A, is what the others are compared with. Choose two runs, or three if one is simulated.
      </p>
    </>
  );
}

/** Returns 'A' for the first compared run. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index);

function Choice({ run, letter }: { readonly run: RunSummary; readonly letter: string | null }) {
  return (
    <span className={classes['choiceText']}>
      <span className={classes['choiceName']}>
        {letter === null ? null : <strong className={classes['letter']}>{letter}</strong>}
        {runTitle(run)}
      </span>
      <span className={`${classes['choiceFacts']} tabular`}>
        <OriginBadge origin={run.origin} compact />
        <span>{run.device}</span>
        <span>{run.makespanNs === null ? '' : formatDuration(run.makespanNs)}</span>
        <span>{formatMoment(run.createdAt)}</span>
      </span>
    </span>
  );
}
