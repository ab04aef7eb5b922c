/** Other machines whose GPUs are used from here: added, looked at, and removed. */
import { IconServer } from '@tabler/icons-react';
import { Card } from '../common/Card.tsx';
import { EmptyState } from '../common/EmptyState.tsx';
import { Page } from '../common/Page.tsx';
import { useApp } from '../store/store.ts';
import { AddMachine } from './AddMachine.tsx';
import { Cluster } from './Cluster.tsx';
import { MachineCard } from './MachineCard.tsx';
import classes from './Machines.module.css';
import { RemoveQuestion } from './RemoveQuestion.tsx';

export function MachinesPage() {
  const machines = useApp((state) => state.machines);
  const ownCluster = useApp((state) => state.ownCluster);
  return (
    <>
      <Page
        title="Other machines"
        about="Experiments, sweeps and programs of yours run on GPUs elsewhere through your system’s ssh, with its keys and agents. Copyscope opens no port there and stores no secret. Where the line drops, what runs there goes on, and its result comes when the line is back."
      >
        <AddMachine />
        {ownCluster === null ? null : (
          <Card aria-label="This machine">
            <div className={classes['head']}>
              <h2>This machine</h2>
              <span className={classes['hint']}>hands jobs to Slurm itself</span>
            </div>
            <Cluster name={null} state={ownCluster} />
          </Card>
        )}
        {machines.length === 0 ? (
          <div className={classes['none']}>
            <EmptyState icon={<IconServer size={22} />} title="No other machine is set up">
              <p>Name one above, as you would for ssh. What will be done there is said first.</p>
            </EmptyState>
          </div>
        ) : (
          <ul className={classes['list']} aria-label="Machines">
            {machines.map((machine) => (
              <li key={machine.name}>
                <MachineCard machine={machine} />
              </li>
            ))}
          </ul>
        )}
      </Page>
      <RemoveQuestion />
    </>
  );
}
