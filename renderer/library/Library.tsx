/** The left panel: the user's experiments, sweeps and runs, and below them the built-in ones. */
import { Button, Loader, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconFlask } from '@tabler/icons-react';
import { type RefObject, useEffect, useMemo, useRef } from 'react';
import { PanelSwitch } from '../common/buttons.tsx';
import { useRoving } from '../common/roving.ts';
import { BuildPanel } from '../score/BuildPanel.tsx';
import { type ExampleGroup, exampleGroups } from '../store/exampleGroups.ts';
import { hasDocument } from '../store/page.ts';
import { openPage } from '../store/pages.ts';
import { currentExperiment, isPrediction, loadedRun, shownRunId } from '../store/select.ts';
import { showLeft, useLeft } from '../store/sidePanels.ts';
import { useApp } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import { RenameDialog } from './dialogs.tsx';
import { ExperimentList } from './ExperimentList.tsx';
import { conditions, filterExperiments, filterRuns, isOfRuns, matchesText, noFilter } from './filter.ts';
import { Item } from './Item.tsx';
import classes from './Library.module.css';
import { LibraryTools } from './LibraryTools.tsx';
import { itemKey, useLibrary } from './libraryView.ts';
import { RecordedRunList, RunList } from './RunList.tsx';
import { Section, useClosed } from './Section.tsx';
import { SelectionBar } from './SelectionBar.tsx';
import { SweepList } from './SweepList.tsx';

export function Library() {
  const ready = useApp((state) => state.libraryReady);
  return (
    <section className={classes['library']} aria-label="Library">
      {ready ? (
        <Lists />
      ) : (
        <Text c="dimmed" size="sm" p="md" component="div" role="status">
          <Loader size={12} mr={8} />
          Reading the library…
        </Text>
      )}
      <RenameDialog />
    </section>
  );
}

/** Scroll position of the lists, kept because pages with other panels recreate them. */
let scrolledTo = 0;

function useKeptScroll(): { readonly ref: RefObject<HTMLDivElement | null>; readonly onScroll: () => void } {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (ref.current === null) return;
    ref.current.scrollTop = scrolledTo;
    // The open item may lie below the panel if that is smaller now.
    ref.current.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, []);
  const onScroll = (): void => {
    scrolledTo = ref.current?.scrollTop ?? 0;
  };
  return { ref, onScroll };
}

function Lists() {
  const scroll = useKeptScroll();
  useRoving(scroll.ref);
  const { filter, selecting } = useLibrary();
  const { examples, experiments, runs } = useListed();
  const sweeps = useListedSweeps();
  const [own, recorded] = [runs.filter(({ builtIn }) => !builtIn), runs.filter(({ builtIn }) => builtIn)];
  const isFiltered = filter.text.trim() !== '' || conditions(filter) > 0;
  const order = useMemo(
    () => [
      ...experiments.map(({ id }) => itemKey({ kind: 'experiment', id })),
      ...sweeps.flatMap(({ id, status }) => (status === 'running' ? [] : itemKey({ kind: 'sweep', id }))),
      ...runs.flatMap(({ id, builtIn, status }) =>
        builtIn || status === 'running' ? [] : itemKey({ kind: 'run', id }),
      ),
    ],
    [experiments, sweeps, runs],
  );
  const isEmpty = examples.length + experiments.length + runs.length + sweeps.length === 0;
  return (
    <>
      <LibraryTools />
      <div className={classes['lists']} {...scroll}>
        {isFiltered && isEmpty ? <NothingMatches /> : null}
        {/* The user's own work stands above the built-in items. */}
        {isFiltered && experiments.length === 0 ? null : <ExperimentList experiments={experiments} order={order} />}
        {isFiltered && sweeps.length === 0 ? null : <SweepList sweeps={sweeps} order={order} />}
        {isFiltered && own.length === 0 ? null : <RunList runs={own} order={order} />}
        {/* Only selectable items are shown during selection. */}
        {selecting || (isFiltered && examples.length === 0) ? null : (
          <Examples groups={examples} isFiltered={isFiltered} />
        )}
        {selecting || recorded.length === 0 ? null : <RecordedRunList runs={recorded} />}
      </div>
      {selecting ? <SelectionBar order={order} /> : null}
    </>
  );
}

/** Returns the sweeps that match the text. Other filter conditions hide all sweeps. */
function useListedSweeps() {
  const filter = useLibrary((state) => state.filter);
  const summaries = useSweeps((state) => state.summaries);
  return useMemo(() => {
    if (conditions(filter) > 0) return [];
    const found = Object.values(summaries).filter(({ name }) => matchesText(filter.text, name));
    return found.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }, [filter, summaries]);
}

/** Returns the items that pass the filter, in its order. */
function useListed() {
  const filter = useLibrary((state) => state.filter);
  const [examples, experiments, runs] = [
    useApp((state) => state.examples),
    useApp((state) => state.experiments),
    useApp((state) => state.runs),
  ];
  return useMemo(() => {
    const now = new Date();
    const others = isOfRuns(filter);
    return {
      examples:
        others || filter.age !== 'any'
          ? []
          : exampleGroups(examples.filter(({ name, description }) => matchesText(filter.text, name, description))),
      experiments: others ? [] : filterExperiments(experiments, filter, now),
      runs: filterRuns(
        // Runs of a sweep are opened from their sweep.
        Object.values(runs).filter(({ id, sweep }) => !isPrediction(id) && sweep === undefined),
        filter,
        now,
      ),
    };
  }, [filter, examples, experiments, runs]);
}

function NothingMatches() {
  return (
    <div className={classes['nothing']} role="status">
      <Text size="sm">Nothing in the library matches.</Text>
      <Button variant="default" onClick={() => useLibrary.setState({ filter: noFilter })}>
        Show everything
      </Button>
    </div>
  );
}

interface ExamplesProps {
  readonly groups: readonly ExampleGroup[];
  /** Shows search results even in a folded family. */
  readonly isFiltered: boolean;
}

function Examples({ groups, isFiltered }: ExamplesProps) {
  const count = groups.reduce((sum, { examples }) => sum + examples.length, 0);
  return (
    <Section title="Examples" empty="No examples were found." count={count}>
      {groups.map((group) => (
        <Family key={group.title} group={group} isOpen={isFiltered} />
      ))}
    </Section>
  );
}

/** Examples of one kind. The fold state is kept. */
function Family({ group: { title, examples }, isOpen }: { readonly group: ExampleGroup; readonly isOpen: boolean }) {
  const page = useApp((state) => state.page);
  const [closed, toggle] = useClosed(`library-closed:Examples/${title}`);
  const shown = isOpen || !closed;
  const Chevron = shown ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <h3 className={classes['group']}>
        <button type="button" className={classes['toggle']} aria-expanded={shown} onClick={toggle}>
          {title}
          <Chevron size={12} aria-hidden />
        </button>
        <span className={classes['count']} aria-hidden>
          {examples.length}
        </span>
      </h3>
      {shown ? (
        <ul className={classes['list']} aria-label={title}>
          {examples.map((example) => (
            <Item
              key={example.id}
              icon={<IconFlask size={15} aria-hidden />}
              name={example.name}
              current={page.kind === 'example' && page.id === example.id}
              onOpen={() => openPage({ kind: 'example', id: example.id })}
            />
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** The left panel: the library, or the building blocks of the open experiment. A trace has nothing to build on. */
export function SidePanel() {
  const isDocument = useApp((state) => hasDocument(state.page));
  const isTrace = useApp((state) => currentExperiment(state) === null && loadedRun(state, shownRunId(state)) !== null);
  const { content } = useLeft();
  if (!isDocument) return <Library />;
  return (
    <div className={classes['side']}>
      {isTrace ? null : (
        <PanelSwitch sides={{ library: 'Library', build: 'Build' }} value={content} onChange={showLeft} />
      )}
      <div className={classes['sideContent']}>{content === 'build' && !isTrace ? <BuildPanel /> : <Library />}</div>
    </div>
  );
}
