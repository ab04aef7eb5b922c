/** Sets a machine up: asks for its name, says what was found and what will be done, and does it once that was confirmed. */
import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { MachinePlan } from '../../core/service/machines.ts';
import { Card } from '../common/Card.tsx';
import { ProblemBox } from '../common/ProblemBox.tsx';
import { useApp } from '../store/store.ts';
import { addPlanned, dropSetup, planMachine, useSetup } from './actions.ts';
import classes from './Machines.module.css';

export function AddMachine() {
  const { asking, plan, error, name: asked } = useSetup();
  const [name, setName] = useState('');
  const connected = useApp((state) => state.connection.status === 'open');
  return (
    <Card aria-label="Add a machine">
      <form
        className={classes['add']}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '' && !asking && connected) void planMachine(name.trim());
        }}
      >
        <TextInput
          label="Machine"
          size="xs"
          description="A name of your ssh configuration, or user@address."
          placeholder="gpu-box"
          spellCheck={false}
          autoCapitalize="none"
          maxLength={200}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <Button
          type="submit"
          leftSection={<IconPlus size={15} aria-hidden />}
          loading={asking}
          disabled={name.trim() === '' || !connected}
        >
          Look what it takes
        </Button>
      </form>
      {asking && plan === null ? (
        <p className={classes['hint']} role="status">
          Asking {asked} for its system, driver and Node. Where ssh has questions it asks them in its own window, or
          where Copyscope was started.
        </p>
      ) : null}
      {error === null ? null : (
        <ProblemBox error={error}>
          {error.code === 'host.other-version' ? (
            <Button onClick={() => void planMachine(asked, true)}>Look what replacing it takes</Button>
          ) : null}
        </ProblemBox>
      )}
      {plan === null ? null : <Plan plan={plan} asking={asking} onDone={() => setName('')} />}
    </Card>
  );
}

interface PlanProps {
  readonly plan: MachinePlan;
  readonly asking: boolean;
  readonly onDone: () => void;
}

function Plan({ plan, asking, onDone }: PlanProps) {
  const yes = useRef<HTMLButtonElement>(null);
  // Whoever asked by keys goes on from here.
  useEffect(() => yes.current?.focus({ preventScroll: true }), []);
  return (
    <section className={classes['plan']} aria-label={`What setting up ${plan.name} does`}>
      <h2>What will be done</h2>
      <ul>
        {plan.says.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        <li>Nothing there runs as root, and removing the machine deletes all of it.</li>
      </ul>
      <div className={classes['bar']}>
        <Button
          ref={yes}
          loading={asking}
          onClick={() => {
            onDone();
            void addPlanned(plan);
          }}
        >
          Set it up
        </Button>
        <Button variant="default" onClick={dropSetup}>
          Change nothing
        </Button>
      </div>
    </section>
  );
}
