/** The sweeps in the library. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconChartGridDots, IconPlus } from '@tabler/icons-react';
import { openPage } from '../app/store/actions.ts';
import { useApp } from '../app/store/store.ts';
import { OriginBadge } from '../common/Origin.tsx';
import { formatMoment } from '../common/time.ts';
import classes from '../library/Library.module.css';
import { newSweep } from './setup.ts';
import { useSweeps } from './sweeps.ts';

export function SweepList() {
  const summaries = useSweeps((state) => state.summaries);
  const page = useApp((state) => state.page);
  const sorted = Object.values(summaries).sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <section className={classes['section']} aria-label="Sweeps">
      <div className={classes['heading']}>
        <h2>Sweeps</h2>
        <span className={classes['count']} aria-hidden>
          {sorted.length === 0 ? '' : sorted.length}
        </span>
        <Tooltip label="New sweep">
          <ActionIcon size="sm" aria-label="New sweep" onClick={newSweep}>
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
      </div>
      {sorted.length === 0 ? (
        <p className={classes['empty']}>None yet. A sweep runs an experiment for many values of a number.</p>
      ) : (
        <ul className={classes['list']}>
          {sorted.map(({ id, name, origin, status, done, points, createdAt, problem }) => {
            const current = page.kind === 'sweep' && page.id === id;
            return (
              <li key={id} className={classes['item']} data-current={current || undefined}>
                <button
                  type="button"
                  className={classes['open']}
                  aria-current={current ? 'page' : undefined}
                  onClick={() => openPage({ kind: 'sweep', id })}
                >
                  <span className={classes['icon']}>
                    {problem === undefined || points > 0 ? (
                      <IconChartGridDots size={15} aria-hidden />
                    ) : (
                      <IconAlertTriangle size={15} color="var(--warn)" aria-label="Can’t be opened" />
                    )}
                  </span>
                  <span className={classes['text']}>
                    <span className={classes['name']} title={name}>
                      {name}
                    </span>
                    <span className={classes['detail']}>
                      <OriginBadge origin={origin} compact />
                      <span className={`${classes['fact']} tabular`}>
                        {done === points ? `${points} points` : `${done} of ${points}`}
                        {status === 'running' ? ', running' : ''}
                      </span>
                      <span className={`${classes['when']} tabular`}>{formatMoment(createdAt)}</span>
                    </span>
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
