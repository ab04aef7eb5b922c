/** Search in the timeline: Enter and Shift+Enter go to the next and previous match, Escape leaves. */
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useMemo, useRef } from 'react';
import { rowEndNs } from '../../../core/trace/rows.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { assign, select, state, useApp } from '../../store/store.ts';
import { matchesIn } from '../rows/search.ts';
import { revealIn } from '../time/timeView.ts';
import type { TimeWindow } from '../time/timeWindow.ts';
import classes from './Toolbar.module.css';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: Pick<TimeWindow, 'move'>;
}

export function SearchBox({ run, view, time }: Props) {
  const query = useApp(({ search }) => search);
  const input = useRef<HTMLInputElement>(null);
  const { trace } = run.run;
  const matches = useMemo(() => matchesIn(run, view, query), [run, view, query]);
  const place = useApp(({ selection }) =>
    selection?.kind === 'row' && selection.run === run.id ? matches.placeOf(selection.row) : null,
  );
  const go = (step: 1 | -1): void => {
    const { selection } = state();
    const row = matches.next(selection?.kind === 'row' && selection.run === run.id ? selection.row : null, step);
    if (row === null) return;
    select({ kind: 'row', run: run.id, row });
    const start = trace.columns.startNs[row] ?? 0;
    time.move((shown, limits) => revealIn(shown, start, rowEndNs(trace, row), limits));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') {
      assign({ search: '' });
      input.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <TextInput
      ref={input}
      data-search
      size="xs"
      className={classes['search'] ?? ''}
      aria-label="Search the timeline"
      placeholder="Search  /"
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        query === '' ? null : (
          <small role="status" aria-label={wordsOf(place, matches.count)} data-none={matches.count === 0 || undefined}>
            {countText(place, matches.count)}
          </small>
        )
      }
      rightSectionWidth={14 + 7 * countText(place, matches.count).length}
      value={query}
      onChange={(event) => assign({ search: event.currentTarget.value })}
      onKeyDown={onKeyDown}
    />
  );
}

function countText(place: number | null, count: number): string {
  if (count === 0) return 'none';
  return place === null ? String(count) : `${place}/${count}`;
}

const wordsOf = (place: number | null, count: number): string =>
  place === null ? `${count} matches` : `match ${place} of ${count}`;
