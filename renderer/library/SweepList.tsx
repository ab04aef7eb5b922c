/** The sweeps in the library. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconChartGridDots, IconPlus } from '@tabler/icons-react';
import { libraryItems, type SweepSummary } from '../../core/service/service.ts';
import { OriginBadge } from '../common/marks.tsx';
import { formatMoment } from '../common/time.ts';
import { reportSweep } from '../files/exportReports.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { newSweep } from '../sweep/setup.ts';
import { Item, type ItemAction } from './Item.tsx';
import { deleteAction, exportAction, renameAction, reportAction } from './itemActions.tsx';
import classes from './Library.module.css';
import { Section } from './Section.tsx';

interface Props {
  readonly sweeps: readonly SweepSummary[];
  readonly order: readonly string[];
}

export function SweepList({ sweeps, order }: Props) {
  const page = useApp((state) => state.page);
  return (
    <Section
      title="Sweeps"
      count={sweeps.length}
      empty="None yet. A sweep runs an experiment for many values of a number."
      action={
        <Tooltip label="New sweep">
          <ActionIcon size="sm" aria-label="New sweep" onClick={newSweep}>
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
      }
    >
      <ul className={classes['list']}>
        {sweeps.map((sweep) => (
          <Item
            key={sweep.id}
            {...(sweep.status === 'running' ? {} : { item: { kind: 'sweep', id: sweep.id }, order })}
            icon={
              sweep.points > 0 ? (
                <IconChartGridDots size={15} aria-hidden />
              ) : (
                <IconAlertTriangle size={15} color="var(--warn)" aria-label="Can’t be opened" />
              )
            }
            name={sweep.name}
            detail={<Detail sweep={sweep} />}
            current={page.kind === 'sweep' && page.id === sweep.id}
            onOpen={() => openPage({ kind: 'sweep', id: sweep.id })}
            actions={actionsOf(sweep)}
          />
        ))}
      </ul>
    </Section>
  );
}

function actionsOf({ id, name, status, points }: SweepSummary): ItemAction[] {
  if (status === 'running') return [];
  const items = libraryItems({ sweeps: [id] });
  const remove = deleteAction(items);
  // A sweep that can't be read has nothing to export.
  if (points === 0) return [remove];
  return [renameAction({ kind: 'sweep', id }), exportAction(items, name), reportAction(() => reportSweep(id)), remove];
}

function Detail({ sweep: { origin, status, done, points, createdAt } }: { readonly sweep: SweepSummary }) {
  return (
    <>
      <OriginBadge origin={origin} compact />
      <span className={`${classes['fact']} tabular`}>
        {done === points ? `${points} points` : `${done} of ${points}`}
        {status === 'running' ? ', running' : ''}
      </span>
      <span className={`${classes['when']} tabular`}>{formatMoment(createdAt)}</span>
    </>
  );
}
