/** The right panel: the selection with its numbers and verdict, or the whole run if nothing is selected. */
import { currentExperiment, loadedRun, shownRunId } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import { AreaDetails } from './AreaDetails.tsx';
import { ExperimentDetails } from './ExperimentDetails.tsx';
import { DeclarationDetails, ExperimentForm } from './fields/DeclarationForm.tsx';
import { HazardList } from './HazardList.tsx';
import classes from './Inspector.module.css';
import { OperationDetails } from './OperationDetails.tsx';
import { RowDetails } from './RowDetails.tsx';
import { RowsDetails } from './RowsDetails.tsx';
import { RunDetails } from './RunDetails.tsx';

export function Inspector() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['inspector']} aria-label="Inspector" tabIndex={0}>
      <Content />
    </section>
  );
}

function Content() {
  const selection = useApp((state) => state.selection);
  const experiment = useApp(currentExperiment);
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  if (selection?.kind === 'row' && run?.id === selection.run) return <RowDetails run={run} row={selection.row} />;
  if (selection?.kind === 'rows' && run?.id === selection.run) return <RowsDetails run={run} selection={selection} />;
  if (selection?.kind === 'area' && run?.id === selection.run) return <AreaDetails run={run} area={selection} />;
  if (selection?.kind === 'op' && experiment !== null) {
    return <OperationDetails experiment={experiment} id={selection.id} run={run} />;
  }
  if (selection?.kind === 'declaration' && experiment !== null) {
    return <DeclarationDetails key={selection.list} experiment={experiment} kind={selection.list} id={selection.id} />;
  }
  if (selection?.kind === 'experiment' && experiment !== null) return <ExperimentForm experiment={experiment} />;
  const details = run !== null ? <RunDetails run={run} /> : experiment && <ExperimentDetails experiment={experiment} />;
  if (details !== null) {
    return (
      <>
        <HazardList />
        {details}
      </>
    );
  }
  return (
    <p className={classes['hint']}>
      Open an example or a run. Select something in the score or in the timeline: the inspector explains it.
    </p>
  );
}
