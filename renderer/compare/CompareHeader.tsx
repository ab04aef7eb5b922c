import { Button, SegmentedControl, Text } from '@mantine/core';
import { IconArrowsUpDown, IconFileTypeHtml, IconPlayerPlayFilled, IconWaveSawTool, IconX } from '@tabler/icons-react';
import { RunChooser } from '../charts/RunChooser.tsx';
import { EnginePicker } from '../engine/EnginePicker.tsx';
import { reportRuns } from '../files/exportReports.ts';
import { effectiveEngine, engineOptions } from '../store/engines.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { openPage } from '../store/pages.ts';
import { runAll } from '../store/runs.ts';
import { caseExamples, fitsComparison } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import { AlignmentPicker } from './AlignmentPicker.tsx';
import { comparePrediction } from './actions.ts';
import classes from './ComparePage.module.css';
import { setCompare, useCompare } from './compareStore.ts';

interface Props {
  readonly ids: readonly string[];
  /** The run that the others are compared with; null until it is read. */
  readonly base: LoadedRun | null;
}

export function CompareHeader({ ids, base }: Props) {
  const chosen = useApp((state) => state.page.kind === 'compare' && state.page.runs !== undefined);
  const lanes = useCompare((state) => state.lanes);
  const opened = useCompare((state) => state.chooserOpen);
  return (
    <div className={classes['header']}>
      <h1>{chosen ? 'Compared on one time scale' : 'Four cases, one time scale'}</h1>
      <div className={classes['controls']}>
        {chosen ? (
          <>
            <Predicted ids={ids} base={base} />
            {ids.length < 2 ? null : <Quiet icon={IconArrowsUpDown} name="Swap A and B" runs={swapped(ids)} />}
            {ids.length === 0 ? null : <Quiet icon={IconX} name="Clear" runs={[]} />}
          </>
        ) : null}
        <RunChooser
          ids={chosen ? ids : []}
          label="Runs compared"
          hint="The first one chosen, A, is what the others are compared with. Choose two runs, or three if one is simulated."
          fits={fitsComparison}
          lettered
          opened={opened}
          onOpened={(chooserOpen) => setCompare({ chooserOpen })}
          onChoose={(runs) => openPage({ kind: 'compare', runs })}
        />
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

const swapped = ([a, b, ...rest]: readonly string[]): string[] => [b, a, ...rest].filter((id) => id !== undefined);

interface QuietProps {
  readonly icon: typeof IconX;
  readonly name: string;
  readonly runs: readonly string[];
}

/** A button that compares other runs. */
const Quiet = ({ icon: Icon, name, runs }: QuietProps) => (
  <Button
    variant="subtle"
    color="gray"
    leftSection={<Icon size={15} aria-hidden />}
    onClick={() => openPage({ kind: 'compare', runs })}
  >
    {name}
  </Button>
);

/** Adds the prediction of A, if none of the runs is simulated. A trace has no program to simulate. */
function Predicted({ ids, base }: Props) {
  const canPredict = useApp(
    ({ runs, profiles }) => profiles.length > 0 && ids.every((id) => runs[id]?.origin !== 'simulated'),
  );
  if (!canPredict || base === null || base.run.info.experiment === null) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconWaveSawTool size={15} aria-hidden />}
      onClick={() => void comparePrediction(base.id, ids)}
    >
      Add the prediction
    </Button>
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
