/** The pages opened last, on the first page. */
import { IconFlask, IconFolderOpen, IconTimeline } from '@tabler/icons-react';
import { runTitle } from '../../core/service/service.ts';
import { OriginBadge } from '../common/marks.tsx';
import { pageHash } from '../store/page.ts';
import { openPage, type RecentPage, useRecent } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import type { AppState } from '../store/types.ts';
import classes from './RecentList.module.css';

const icons = { example: IconFlask, experiment: IconFolderOpen, run: IconTimeline } as const;
const mostShown = 6;

export function RecentList() {
  const pages = useRecent((state) => state.pages);
  const state = useApp((all) => all);
  const known = pages.flatMap((page) => {
    const name = recentName(state, page);
    return name === null ? [] : [{ page, name }];
  });
  if (known.length === 0) return null;
  return (
    <section className={classes['recent']} aria-label="Recent">
      <h2>Recent</h2>
      <ul>
        {known.slice(0, mostShown).map(({ page, name }) => {
          const Icon = icons[page.kind];
          const run = page.kind === 'run' ? state.runs[page.id] : undefined;
          return (
            <li key={pageHash(page)}>
              <button type="button" onClick={() => openPage(page)}>
                <Icon size={15} aria-hidden />
                <span>{name}</span>
                {run === undefined ? null : <OriginBadge origin={run.origin} compact />}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Returns null if it no longer exists. */
export function recentName({ examples, experiments, runs }: AppState, page: RecentPage): string | null {
  if (page.kind === 'run') {
    const run = runs[page.id];
    return run === undefined ? null : runTitle(run);
  }
  const list = page.kind === 'example' ? examples : experiments;
  return list.find(({ id }) => id === page.id)?.name ?? null;
}
