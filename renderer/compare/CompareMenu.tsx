/** The menu that compares the open run with its prediction, an earlier run or any other. */
import { Button, Menu } from '@mantine/core';
import { IconColumns, IconListCheck, IconTimeline, IconWaveSawTool } from '@tabler/icons-react';
import type { RunSummary } from '../../core/service/service.ts';
import { formatDuration } from '../../core/units.ts';
import { formatMoment } from '../common/time.ts';
import { comparableRun, isPrediction, loadedRun, runsOfPage } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import { comparePrediction, compareWith, openComparison } from './actions.ts';

/** Other runs of the experiment that are offered by name. */
const mostOffered = 6;

export function CompareMenu() {
  const run = useApp(comparableRun);
  if (run === undefined) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          aria-label="Compare this run"
          leftSection={<IconColumns size={13} aria-hidden />}
        >
          Compare
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <WithRuns run={run} />
      </Menu.Dropdown>
    </Menu>
  );
}

function WithRuns({ run }: { readonly run: RunSummary }) {
  const others = useDerived((state) =>
    runsOfPage(state).filter((other) => other.id !== run.id && other.status === 'complete' && !isPrediction(other.id)),
  );
  // A trace holds no program, and a simulation would only be repeated.
  const canPredict = useApp(
    (state) =>
      run.origin !== 'simulated' &&
      state.profiles.length > 0 &&
      (loadedRun(state, run.id)?.run.info.experiment ?? null) !== null,
  );
  return (
    <>
      {canPredict ? (
        <Menu.Item leftSection={<IconWaveSawTool size={15} />} onClick={() => void comparePrediction(run.id)}>
          Predicted against {run.origin}
        </Menu.Item>
      ) : null}
      {others.slice(0, mostOffered).map((other) => (
        <Menu.Item
          key={other.id}
          leftSection={<IconTimeline size={15} />}
          onClick={() => openComparison([run.id, other.id])}
        >
          With {describe(other)}
        </Menu.Item>
      ))}
      <Menu.Item leftSection={<IconListCheck size={15} />} onClick={() => compareWith(run.id)}>
        With another run…
      </Menu.Item>
    </>
  );
}

function describe({ origin, makespanNs, createdAt }: RunSummary): string {
  const took = makespanNs === null ? '' : `, ${formatDuration(makespanNs)}`;
  return `the ${origin} run of ${formatMoment(createdAt)}${took}`;
}
