/** Charts about more than one run: makespans by strategy, and bandwidth by size. */
import { Loader, NativeSelect, Text } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { create } from 'zustand';
import { parseProfile } from '../../core/machine/profile/profile.ts';
import { EmptyState } from '../common/Page.tsx';
import { attempt, host } from '../store/host.ts';
import { openPage } from '../store/pages.ts';
import { ensureRun, holdRuns } from '../store/runs.ts';
import { comparedRunIds, loadedRun, titleOfLoaded } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import { profileBandwidth } from './bandwidth.ts';
import { Chart } from './Chart.tsx';
import classes from './ChartsPage.module.css';
import { RunChooser } from './RunChooser.tsx';
import type { LineSpec } from './spec.ts';
import { strategyBars, strategyOf } from './strategies.ts';

/** Choices on the charts page, kept while the window is open. */
interface Chosen {
  /** Ids of the chosen runs; null for the default choice. */
  readonly runs: readonly string[] | null;
}

const useChosen = create<Chosen>()(() => ({ runs: null }));

export function ChartsPage() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['page']} aria-label="Charts" tabIndex={0}>
      <header className={classes['header']}>
        <h1>Charts</h1>
        <Text size="sm" c="dimmed">
          Each run also has its own charts in place of its lanes, and each sweep has charts on its page.
        </Text>
      </header>
      <Strategies />
      <Bandwidth />
    </section>
  );
}

/** A sweep shows more bars than this better. */
const mostRuns = 24;

function Strategies() {
  const picked = useChosen((state) => state.runs);
  const [opened, setOpened] = useState(false);
  const known = useApp((state) => state.runs);
  const standard = useDerived(comparedRunIds);
  const ids = (picked ?? standard).filter((id) => known[id] !== undefined);
  const connected = useApp((state) => state.connection.status === 'open');
  const key = ids.join(' ');
  useEffect(() => {
    const shown = key.split(' ').filter(Boolean);
    if (connected) for (const id of shown) void ensureRun(id);
    return holdRuns(shown);
  }, [key, connected]);
  const loaded = useDerived((state) => ids.map((id) => loadedRun(state, id)));
  const ready = loaded.filter((run) => run !== null);
  const names = useDerived((state) => ready.map((run) => titleOfLoaded(state, run)));
  const readyKey = ready.map(({ id }, index) => `${id} ${names[index]}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run never changes, so ids and names tell them apart.
  const spec = useMemo(
    () =>
      strategyBars(
        ready.map(({ id, run }, at) => strategyOf(id, names[at] ?? '', run, known[id]?.origin ?? 'recorded')),
      ),
    [readyKey],
  );
  return (
    <section className={classes['section']} aria-label="Strategies">
      <div className={classes['heading']}>
        <h2>Strategies</h2>
        <RunChooser
          {...{ ids, opened }}
          label="Runs in the chart"
          onOpened={setOpened}
          onChoose={(runs) => useChosen.setState({ runs: runs.slice(0, mostRuns) })}
        />
      </div>
      {ids.length === 0 ? (
        <EmptyState icon={<IconChartBar size={24} />} title="No run is chosen">
          <Text c="dimmed">Choose the runs to show side by side.</Text>
        </EmptyState>
      ) : ready.length === 0 ? (
        <Loader size={18} />
      ) : (
        <Chart
          spec={spec}
          height={Math.min(680, 120 + 52 * ready.length)}
          onOpen={(id) => openPage({ kind: 'run', id })}
        />
      )}
    </section>
  );
}

function Bandwidth() {
  const [picked, setPicked] = useState<string | null>(null);
  const profiles = useApp((state) => state.profiles);
  const choices = profiles.map(({ name, device }) => ({ value: name, label: `Profile of ${device}` }));
  // The picked profile may have been deleted.
  const shown = (choices.find(({ value }) => value === picked) ?? choices[0])?.value ?? '';
  const spec = useBandwidth(shown);
  return (
    <section className={classes['section']} aria-label="Bandwidth">
      <div className={classes['heading']}>
        <h2>Bandwidth against size</h2>
        <NativeSelect
          aria-label="Bandwidths from"
          size="xs"
          value={shown}
          onChange={({ currentTarget: { value } }) => setPicked(value)}
          data={choices}
        />
      </div>
      {spec === null ? (
        <EmptyState icon={<IconChartBar size={24} />} title="No bandwidths yet">
          <Text c="dimmed">There is no device profile.</Text>
        </EmptyState>
      ) : (
        <Chart spec={spec} height={400} />
      )}
    </section>
  );
}

/** Returns the bandwidth chart of a profile, which it reads from the host, or null. */
function useBandwidth(name: string): LineSpec | null {
  const connected = useApp((state) => state.connection.status === 'open');
  const profiles = useApp((state) => state.profiles);
  const [ofProfile, setOfProfile] = useState<{ readonly name: string; readonly spec: LineSpec } | null>(null);
  useEffect(() => {
    if (!connected || !profiles.some((profile) => profile.name === name)) return;
    void attempt('The profile could not be read', async () =>
      setOfProfile({ name, spec: profileBandwidth(parseProfile(await host().readProfile(name))) }),
    );
  }, [name, connected, profiles]);
  return ofProfile?.name === name ? ofProfile.spec : null;
}
