import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconArrowBackUp, IconFileTypeHtml, IconPlayerPlayFilled } from '@tabler/icons-react';
import { EnginePicker } from '../engine/EnginePicker.tsx';
import { reportRuns } from '../files/exportReports.ts';
import { effectiveEngine, engineOptions } from '../store/engines.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { openPage } from '../store/pages.ts';
import { runAll } from '../store/runs.ts';
import { caseExamples } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import { AlignmentPicker } from './AlignmentPicker.tsx';
import classes from './ComparePage.module.css';
import { setCompare, useCompare } from './compareStore.ts';
import { RunChooser } from './RunChooser.tsx';

interface Props {
  readonly ids: readonly string[];
  /** The run that the others are compared with; null until it is read. */
  readonly base: LoadedRun | null;
}

export function CompareHeader({ ids, base }: Props) {
  const chosen = useApp((state) => state.page.kind === 'compare' && state.page.runs !== undefined);
  const lanes = useCompare((state) => state.lanes);
  return (
    <div className={classes['header']}>
      <h1>{chosen ? 'Compared on one time scale' : 'Four cases, one time scale'}</h1>
      <div className={classes['controls']}>
        {chosen ? (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconArrowBackUp size={15} aria-hidden />}
            onClick={() => openPage({ kind: 'compare' })}
          >
            The four cases
          </Button>
        ) : null}
        <RunChooser ids={chosen ? ids : []} />
        {chosen ? null : <RunFour />}
        {ids.length < 2 ? null : (
          <Button
            variant="default"
            leftSection={<IconFileTypeHtml size={15} aria-hidden />}
            onClick={() => void reportRuns(ids.slice(0, 2))}
            title="One HTML file with the lanes of A and B and what differs"
          >
            Report of A and B
          </Button>
        )}
      </div>
      <Text size="sm" c="dimmed">
        {chosen ? chosenText(ids.length) : 'A copy and a kernel that don’t need each other, four ways.'}
      </Text>
      {ids.length === 0 ? null : (
        <div className={classes['controls']}>
          {base === null ? null : <AlignmentPicker base={base} />}
          <SegmentedControl
            size="xs"
            aria-label="Lanes shown"
            value={lanes}
            onChange={(value) => setCompare({ lanes: value === 'all' ? 'all' : 'engines' })}
            data={[
              { value: 'engines', label: 'Engines' },
              { value: 'all', label: 'All lanes' },
            ]}
          />
        </div>
      )}
    </div>
  );
}

function chosenText(count: number): string {
  if (count === 0) return 'Choose two runs.';
  return count === 1 ? 'Choose another run to compare it with.' : `${count} runs; differences are to A.`;
}

function RunFour() {
  const options = useDerived((state) => engineOptions(state.devices, state.profiles, []));
  const picked = useApp((state) => state.engine);
  const engine = effectiveEngine(options, picked);
  const examples = useDerived(caseExamples);
  const running = useDerived((state) => Object.values(state.runs).find((run) => run.status === 'running'));
  return (
    <>
      <EnginePicker options={options} />
      <Button
        leftSection={<IconPlayerPlayFilled size={13} aria-hidden />}
        loading={running !== undefined}
        disabled={engine === null || examples.length === 0}
        onClick={() =>
          engine !== null &&
          void runAll(
            examples.map(({ id }) => id),
            engine,
          )
        }
      >
        Run all four
      </Button>
    </>
  );
}
