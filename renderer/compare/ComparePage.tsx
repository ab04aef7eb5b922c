/** The compared runs above each other on one time scale, and their differences. */
import { Button, Group as Buttons, Text } from '@mantine/core';
import { IconColumns } from '@tabler/icons-react';
import { useEffect } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { EmptyState } from '../common/Page.tsx';
import shared from '../common/Panels.module.css';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { openPage } from '../store/pages.ts';
import { ensureRun } from '../store/runs.ts';
import { comparedRunIds, loadedRun } from '../store/select.ts';
import { panelStorage } from '../store/settings.ts';
import { useApp, useDerived } from '../store/store.ts';
import { CompareHeader } from './CompareHeader.tsx';
import classes from './ComparePage.module.css';
import { setCompare } from './compareStore.ts';
import { Differences } from './Differences.tsx';
import { Stack } from './Stack.tsx';

export function ComparePage() {
  const ids = useDerived(comparedRunIds);
  const running = useDerived((state) => ids.filter((id) => state.runs[id]?.status === 'running'));
  const connected = useApp((state) => state.connection.status === 'open');
  const loaded = useDerived((state) => ids.map((id) => loadedRun(state, id)));
  // Runs under way are read when they have ended.
  const key = ids.filter((id) => !running.includes(id)).join(' ');
  useEffect(() => {
    if (connected) for (const id of key.split(' ').filter(Boolean)) void ensureRun(id);
  }, [key, connected]);
  return (
    <section className={classes['page']} aria-label="Comparison">
      <CompareHeader ids={ids} base={loaded[0] ?? null} />
      {ids.length === 0 ? <NothingToCompare /> : <Compared ids={ids} loaded={loaded} />}
    </section>
  );
}

function NothingToCompare() {
  return (
    <EmptyState icon={<IconColumns size={24} />} title="Nothing to compare yet">
      <Text c="dimmed">
        Choose two runs from the list, or let the four cases run on an engine. A run’s own page compares it with its
        prediction.
      </Text>
      <Buttons gap="xs">
        <Button variant="default" onClick={() => setCompare({ chooserOpen: true })}>
          Choose from the list
        </Button>
        <Button variant="default" onClick={() => openPage({ kind: 'compare' })}>
          The four cases
        </Button>
      </Buttons>
    </EmptyState>
  );
}

interface ComparedProps {
  readonly ids: readonly string[];
  /** The runs; null while one is read, or if it can't be read. */
  readonly loaded: readonly (LoadedRun | null)[];
}

/** Height of a window in which four runs leave little room for their differences. */
const lowWindow = 800;

function Compared({ ids, loaded }: ComparedProps) {
  const layout = useDefaultLayout({ id: 'comparison', panelIds: ['runs', 'differences'], storage: panelStorage });
  if (ids.length < 2) return <Stack ids={ids} loaded={loaded} />;
  return (
    <Group
      orientation="vertical"
      className={shared['panels']}
      {...(layout.defaultLayout === undefined ? {} : { defaultLayout: layout.defaultLayout })}
      onLayoutChanged={layout.onLayoutChanged}
    >
      <Panel id="runs" defaultSize={ids.length > 3 && window.innerHeight < lowWindow ? '76%' : '56%'} minSize={150}>
        <Stack ids={ids} loaded={loaded} />
      </Panel>
      <Separator className={shared['separatorAcross']} aria-label="Resize the differences" />
      <Panel id="differences" minSize={110}>
        <Differences ids={ids} loaded={loaded} />
      </Panel>
    </Group>
  );
}
