import { Button, Checkbox, CloseButton, Popover, TextInput } from '@mantine/core';
import { IconListCheck, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { type RunSummary, runTitle } from '../../core/service/service.ts';
import { formatDuration } from '../../core/units.ts';
import { OriginBadge } from '../common/marks.tsx';
import { formatMoment } from '../common/time.ts';
import { byNewest, isPrediction } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './RunChooser.module.css';

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

interface Props {
  readonly ids: readonly string[];
  /** Name of the list. */
  readonly label: string;
  readonly hint?: string;
  /** Whether these runs can be chosen together. */
  readonly fits?: (runs: readonly RunSummary[]) => boolean;
  /** Whether chosen runs have the letters of a comparison. */
  readonly lettered?: boolean;
  readonly onChoose: (ids: string[]) => void;
}

interface Chooser extends Props {
  readonly opened: boolean;
  readonly onOpened: (opened: boolean) => void;
}

/** A button that opens a list of all complete runs to choose from. */
export function RunChooser({ opened, onOpened, ...props }: Chooser) {
  return (
    <Popover position="bottom-end" width={460} trapFocus withinPortal opened={opened} onChange={onOpened}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconListCheck size={15} aria-hidden />}
          onClick={() => onOpened(!opened)}
        >
          Choose runs
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={8}>
        <Choices {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

const nameOf = (run: RunSummary): string =>
  `${runTitle(run)} ${run.name} ${run.origin} ${run.device} ${formatMoment(run.createdAt)}`;

function Choices({ ids, label, hint, fits = () => true, lettered = false, onChoose }: Props) {
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
      <Checkbox.Group value={[...ids]} onChange={onChoose} aria-label={label}>
        <div className={classes['choices']}>
          {found.map((run) => (
            <Checkbox
              key={run.id}
              value={run.id}
              size="xs"
              className={classes['choice'] ?? ''}
              disabled={!ids.includes(run.id) && !fits([...chosen, run])}
              label={
                <Choice run={run} letter={lettered && ids.includes(run.id) ? letterOf(ids.indexOf(run.id)) : null} />
              }
            />
          ))}
          {found.length === 0 ? <p className={classes['none']}>No run has that name.</p> : null}
        </div>
      </Checkbox.Group>
      {hint === undefined ? null : <p className={classes['none']}>{hint}</p>}
    </>
  );
}

/** Returns 'A' for the first compared run. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index);

export const Letter = ({ letter }: { readonly letter: string }) => (
  <strong className={classes['letter']}>{letter}</strong>
);

function Choice({ run, letter }: { readonly run: RunSummary; readonly letter: string | null }) {
  return (
    <span className={classes['choiceText']}>
      <span className={classes['choiceName']}>
        {letter === null ? null : <Letter letter={letter} />}
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
