/** Differences between the first run and another, by operation and by lane. */
import { Loader, SegmentedControl, Select } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { Difference, RunComparison } from '../../core/explain/compare/comparison.ts';
import { formatDifference, formatSpread, predictedWords } from '../../core/explain/compare/format.ts';
import { lanesText, operationsText } from '../../core/explain/compare/text.ts';
import { methodText, programBlocks, stepBlocks } from '../../core/present/comparison.ts';
import { runTitle } from '../../core/service/service.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { letterOf } from '../charts/RunChooser.tsx';
import { CopyTable } from '../common/buttons.tsx';
import { ErrorText } from '../common/Page.tsx';
import { formatMoment } from '../common/time.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { type Compared, setCompare, useCompare } from './compareStore.ts';
import classes from './Differences.module.css';
import { LanesTable } from './LanesTable.tsx';
import { OperationsTable } from './OperationsTable.tsx';
import { JudgementMark } from './SpreadBars.tsx';
import { useComparison, useStepsCompared } from './useComparison.ts';

interface Props {
  readonly ids: readonly string[];
  readonly loaded: readonly (LoadedRun | null)[];
}

export function Differences({ ids, loaded }: Props) {
  return (
    <section className={classes['differences']} aria-label="Differences">
      <OfTwo ids={ids} loaded={loaded} />
    </section>
  );
}

function OfTwo({ ids, loaded }: Props) {
  const picked = useCompare((state) => state.other);
  const other = Math.max(1, picked === null ? 1 : ids.indexOf(picked));
  const found = useComparison(loaded[0] ?? null, loaded[other] ?? null);
  const letter = letterOf(other);
  const picker = <OtherPicker ids={ids} other={other} />;
  const [a, b] = [loaded[0] ?? null, loaded[other] ?? null];
  const traces = a?.run.info.imported !== undefined && b?.run.info.imported !== undefined;
  const by = useBy(traces);
  // One of the two runs has no lanes and will get none.
  const isLost = useApp(({ loadedRuns }) =>
    [ids[0], ids[other]].some((id) => loadedRuns[id ?? '']?.status === 'failed'),
  );
  useFoundSteps(found, ids[0], ids[other]);
  if (by === 'steps') {
    return (
      <>
        <Bar traces={traces}>{picker}</Bar>
        <StepsCompared a={a} b={b} letter={letter} />
      </>
    );
  }
  if (found?.status === 'ready')
    return <Found key={`${ids[0]} ${ids[other]}`} {...found.value} letter={letter} picker={picker} traces={traces} />;
  return (
    <>
      <Bar traces={traces}>{picker}</Bar>
      <div className={classes['pending']} role="status">
        {found?.status === 'failed' ? (
          <ErrorText error={found.error} />
        ) : isLost ? (
          'A run without lanes can’t be compared.'
        ) : (
          <>
            <Loader size={14} /> Comparing…
          </>
        )}
      </div>
    </>
  );
}

interface StepsProps {
  readonly a: LoadedRun | null;
  readonly b: LoadedRun | null;
  readonly letter: string;
}

/** Differences between the steps of two traces, and whether the second confirms the first one's prediction. */
function StepsCompared({ a, b, letter }: StepsProps) {
  const found = useStepsCompared(a, b);
  if (found === null) {
    return (
      <div className={classes['pending']} role="status">
        <Loader size={14} /> Finding the steps…
      </div>
    );
  }
  if (found.parts.length === 0) {
    return <p className={classes['pending']}>These runs are not both traces of a program in which steps are found.</p>;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes['steps']} aria-label="Steps of both traces" tabIndex={0}>
      <Blocks blocks={stepBlocks(found, letter)} />
    </section>
  );
}

/** Returns the list to show: the chosen one, or the default. */
function useBy(traces: boolean): 'steps' | 'operations' | 'lanes' {
  const by = useCompare((state) => state.by) ?? 'steps';
  return by === 'steps' && !traces ? 'operations' : by;
}

/** The listed differences, and the other lists to choose from. */
function Bar({ traces, children }: { readonly traces: boolean; readonly children: ReactNode }) {
  const by = useBy(traces);
  return (
    <div className={classes['bar']} role="toolbar" aria-label="Differences shown">
      <h2>Differences</h2>
      <SegmentedControl
        size="xs"
        aria-label="Differences by"
        value={by}
        onChange={(value) => setCompare({ by: value === 'lanes' || value === 'steps' ? value : 'operations' })}
        data={[
          ...(traces ? [{ value: 'steps', label: 'Steps' }] : []),
          { value: 'operations', label: 'Operations' },
          { value: 'lanes', label: 'Lanes' },
        ]}
      />
      {children}
    </div>
  );
}

/** Aligns the lanes above by the steps that the comparison found. */
function useFoundSteps(found: ReturnType<typeof useComparison>, a: string | undefined, b: string | undefined): void {
  const starts = found?.status === 'ready' ? found.value.stepStarts : null;
  useEffect(() => {
    if (starts === null || a === undefined || b === undefined) return;
    setCompare({ steps: { ...useCompare.getState().steps, [a]: starts.a, [b]: starts.b } });
  }, [starts, a, b]);
}

/** Picks the run that is listed against the first. */
function OtherPicker({ ids, other }: { readonly ids: readonly string[]; readonly other: number }) {
  const runs = useApp((state) => state.runs);
  if (ids.length < 3) return null;
  return (
    <Select
      aria-label="Compared with A"
      w={200}
      value={ids[other] ?? null}
      data={ids.slice(1).map((id, index) => {
        const run = runs[id];
        const when = run === undefined ? '' : `, ${formatMoment(run.createdAt)}`;
        return { value: id, label: `${letterOf(index + 1)} ${run === undefined ? id : runTitle(run)}${when}` };
      })}
      onChange={(id) => setCompare({ other: id })}
      comboboxProps={{ width: 380, position: 'bottom-start' }}
    />
  );
}

type FoundProps = Compared & { readonly letter: string; readonly picker: ReactNode; readonly traces: boolean };

function Found({ comparison, leftOut, letter, picker, traces }: FoundProps) {
  const by = useBy(traces);
  const [order, setOrder] = useState<'size' | 'program'>('size');
  const foot = (
    <div className={classes['foot']}>
      <Remarks comparison={comparison} letter={letter} />
      <CopyTable table={() => (by === 'lanes' ? lanesText(comparison.lanes) : operationsText(comparison.operations))} />
    </div>
  );
  return (
    <>
      {comparison.programs === null ? null : (
        <div className={classes['programs']}>
          <Blocks blocks={programBlocks(comparison, letter)} />
        </div>
      )}
      <Bar traces={traces}>
        {picker}
        {by === 'lanes' ? null : (
          <SegmentedControl
            size="xs"
            aria-label="Order"
            value={order}
            onChange={(value) => setOrder(value === 'program' ? 'program' : 'size')}
            data={[
              { value: 'size', label: 'Largest first' },
              { value: 'program', label: 'Issue order' },
            ]}
          />
        )}
        <Makespan comparison={comparison} letter={letter} />
      </Bar>
      <div className={classes['table']}>
        {by === 'lanes' ? (
          <LanesTable lanes={comparison.lanes} letter={letter}>
            {foot}
          </LanesTable>
        ) : (
          <OperationsTable
            operations={comparison.operations}
            letter={letter}
            order={order}
            leftOut={leftOut}
            byStep={comparison.steps !== null}
          >
            {foot}
          </OperationsTable>
        )}
      </div>
    </>
  );
}

function Makespan({ comparison, letter }: { readonly comparison: RunComparison; readonly letter: string }) {
  const { makespan, steps } = comparison;
  return (
    <div className={classes['inAll']}>
      <p className={`${classes['makespan']} tabular`} title={sidesText(makespan, letter)}>
        Makespan <strong>{formatDifference(makespan) || 'not recorded'}</strong>
        {steps === null ? <JudgementMark difference={makespan} /> : null}
      </p>
      {steps === null ? null : (
        <p className={`${classes['makespan']} tabular`} title={sidesText(steps.duration, letter)}>
          Step <strong>{formatDifference(steps.duration)}</strong>
          <JudgementMark difference={steps.duration} />
        </p>
      )}
    </div>
  );
}

const sidesText = ({ a, b }: Difference, letter: string): string =>
  `A ${formatSpread(a)}, ${letter} ${formatSpread(b)}`;

/** Notes on the method, below the table. */
function Remarks({ comparison, letter }: { readonly comparison: RunComparison; readonly letter: string }) {
  return (
    <p className={classes['remarks']}>
      {predictedWords(comparison)} {methodText(comparison, letter)}
    </p>
  );
}
