/** The runs: the user's own, and the built-in ones. */
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconLoader2, IconTimeline } from '@tabler/icons-react';
import { useState } from 'react';
import { libraryItems, type RunSummary, runTitle } from '../../core/service/service.ts';
import { formatDuration } from '../../core/units.ts';
import { OriginBadge } from '../common/marks.tsx';
import { formatMoment } from '../common/time.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { Item, type ItemAction } from './Item.tsx';
import { deleteAction, exportAction, exportRunActions, renameAction } from './itemActions.tsx';
import classes from './Library.module.css';
import { Section } from './Section.tsx';

interface Props {
  readonly runs: readonly RunSummary[];
  readonly order: readonly string[];
}

/** Longer lists are shown in full on request. */
const mostShown = 200;

/** The built-in runs. */
export function RecordedRunList({ runs }: Pick<Props, 'runs'>) {
  return (
    <Section title="Recorded runs" count={runs.length} empty="">
      <ul className={classes['list']}>
        {runs.map((run) => (
          <RunItem key={run.id} run={run} order={[]} />
        ))}
      </ul>
    </Section>
  );
}

export function RunList({ runs, order }: Props) {
  const [all, setAll] = useState(false);
  const shown = all ? runs : runs.slice(0, mostShown);
  return (
    <Section title="Runs" count={runs.length} empty="Runs appear here as you make them.">
      <ul className={classes['list']}>
        {shown.map((run) => (
          <RunItem key={run.id} run={run} order={order} />
        ))}
      </ul>
      {shown.length === runs.length ? null : (
        <Button variant="subtle" color="gray" fullWidth onClick={() => setAll(true)}>
          Show all {runs.length}
        </Button>
      )}
    </Section>
  );
}

function RunItem({ run, order }: { readonly run: RunSummary; readonly order: readonly string[] }) {
  const page = useApp((state) => state.page);
  return (
    <Item
      {...(run.builtIn ? {} : { item: { kind: 'run', id: run.id }, order })}
      icon={<IconTimeline size={15} aria-hidden />}
      name={runTitle(run)}
      detail={<RunDetail run={run} />}
      current={page.kind === 'run' && page.id === run.id}
      onOpen={() => openPage({ kind: 'run', id: run.id })}
      actions={actionsOf(run)}
    />
  );
}

function actionsOf(run: RunSummary): ItemAction[] {
  if (run.builtIn || run.status === 'running') return [];
  const items = libraryItems({ runs: [run.id] });
  const remove = deleteAction(items);
  // A run that failed without a file can't be renamed or exported.
  if (run.status !== 'complete') return [remove];
  return [
    renameAction({ kind: 'run', id: run.id }),
    exportAction(items, runTitle(run)),
    ...exportRunActions(run.id),
    remove,
  ];
}

function RunDetail({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <OriginBadge origin={run.origin} compact />
      <span className={`${classes['fact']} tabular`}>
        <RunOutcome run={run} />
      </span>
      <span className={`${classes['when']} tabular`}>{formatMoment(run.createdAt)}</span>
    </>
  );
}

function RunOutcome({ run }: { readonly run: RunSummary }) {
  switch (run.status) {
    case 'running':
      return (
        <>
          <IconLoader2 size={12} aria-hidden /> running
        </>
      );
    case 'failed':
      return (
        <span className={classes['failed']}>
          <IconAlertTriangle size={12} aria-hidden /> failed
        </span>
      );
    case 'cancelled':
      return (
        <>
          <IconBan size={12} aria-hidden /> cancelled
        </>
      );
    default:
      return run.makespanNs === null ? null : formatDuration(run.makespanNs);
  }
}
