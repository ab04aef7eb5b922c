/** The first page: the four cases as lanes, three doors, and what else there is. */
import { Button, Kbd } from '@mantine/core';
import { IconSchool } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ExampleSummary } from '../../core/service/service.ts';
import { iterationOf } from '../../core/trace/iteration.ts';
import { CommandButton } from '../commands/buttons.tsx';
import { type Entry, shownKeys } from '../commands/command.ts';
import { OriginBadge } from '../common/marks.tsx';
import { runCommands } from '../engine/RunButton.tsx';
import { openCommand } from '../files/files.ts';
import { type DrawnRun, LanesDrawing, makespanOf } from '../lessons/LanesDrawing.tsx';
import { predict } from '../predict/predict.ts';
import { chosenProfile } from '../predict/usePrediction.ts';
import { exampleGroups } from '../store/exampleGroups.ts';
import { attempt, host } from '../store/host.ts';
import { openPage } from '../store/pages.ts';
import { caseExamples } from '../store/select.ts';
import { state, useApp, useDerived } from '../store/store.ts';
import { helpCommand, learnCommands, windowCommands } from './commands.ts';
import { RecentList } from './RecentList.tsx';
import classes from './WelcomePage.module.css';

const Keys = ({ of: { keys = [] } }: { readonly of: Entry }) => <Kbd>{keys.slice(0, 1).map(shownKeys)}</Kbd>;

/** Characters that fit into four lines of a card. */
const cardLength = 200;

/** Returns the first sentences, as many as fit into a card. */
function opening(text: string): string {
  const [first = '', ...others] = text.split(/(?<=[.?!])\s+/);
  let shown = first;
  for (const sentence of others) {
    if (shown.length + 1 + sentence.length > cardLength) break;
    shown += ` ${sentence}`;
  }
  return shown;
}

interface DoorProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Door({ title, text, children }: DoorProps) {
  return (
    <section className={classes['door']} aria-label={title}>
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </section>
  );
}

interface Case {
  readonly example: ExampleSummary;
  readonly drawn: DrawnRun;
}

async function simulated(examples: readonly ExampleSummary[]): Promise<Case[]> {
  const profile = await chosenProfile();
  if (profile === null) return [];
  const documents = await Promise.all(examples.map(({ id }) => host().readExample(id)));
  return examples.flatMap((example, at) => {
    const document = documents[at];
    if (document === undefined) return [];
    const { run } = predict(document, profile, state().about?.version ?? '');
    const iteration = iterationOf(run.trace, run.info.iterations.representative);
    return { example, drawn: { run, iteration, origin: 'simulated' } };
  });
}

/** The four cases, simulated at once and drawn on one time scale. */
function FourCases() {
  const examples = useDerived(caseExamples);
  const profiles = useApp((all) => all.profiles);
  const [cases, setCases] = useState<readonly Case[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other profiles simulate anew.
  useEffect(() => {
    let current = true;
    void attempt('The four cases could not be simulated', async () => {
      const found = await simulated(examples);
      if (current) setCases(found);
    });
    return () => {
      current = false;
    };
  }, [examples, profiles]);
  if (examples.length === 0) return null;
  const endNs = Math.max(...cases.map(({ drawn }) => makespanOf(drawn)));
  return (
    <section aria-label="Four cases">
      <div className={classes['heading']}>
        <h2>One copy and one kernel, four ways</h2>
        <OriginBadge origin="simulated" />
        <Button variant="subtle" color="gray" onClick={() => openPage({ kind: 'compare' })}>
          See them side by side
        </Button>
      </div>
      <ul className={classes['cards']}>
        {cases.map(({ example: { id, name }, drawn }) => (
          <li key={id}>
            <button type="button" className={classes['card']} onClick={() => openPage({ kind: 'example', id })}>
              <strong>{name}</strong>
              <LanesDrawing drawn={drawn} name={name} endNs={endNs} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function WelcomePage() {
  const examples = useApp((state) => state.examples);
  return (
    <div className={classes['page']}>
      <div className={classes['column']}>
        <h1>See what overlapped, and why</h1>
        <FourCases />
        <div className={classes['doors']}>
          <Door title="Learn" text="A lesson asks, you guess, and the lanes answer.">
            <Button
              leftSection={<IconSchool size={16} aria-hidden />}
              onClick={() => openPage({ kind: 'lesson', id: 'first-overlap', step: 0 })}
            >
              Start the first lesson
            </Button>
            <Button variant="default" onClick={learnCommands.lessons.run}>
              All lessons
            </Button>
          </Door>
          <Door
            title="Explain my trace"
            text="Find where a step of PyTorch’s profiler or Nsight Systems loses time, and what to change."
          >
            <CommandButton command={openCommand} />
            <CommandButton command={windowCommands.record} />
          </Door>
          <Door title="Design an experiment" text="Copies, kernels, streams and events, run on a GPU or simulated.">
            <CommandButton command={windowCommands.newExperiment} />
            <CommandButton command={windowCommands.remote} />
          </Door>
        </div>
        <RecentList />
        {exampleGroups(examples.filter(({ id }) => !id.startsWith('overlap/'))).map((group) => (
          <section key={group.title} aria-label={group.title}>
            <div className={classes['heading']}>
              <h2>{group.title}</h2>
            </div>
            <ul className={classes['cards']}>
              {group.examples.map((example) => (
                <li key={example.id}>
                  <button
                    type="button"
                    className={classes['card']}
                    onClick={() => openPage({ kind: 'example', id: example.id })}
                  >
                    <strong>{example.name}</strong>
                    <span>{opening(example.description)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <p className={classes['keys']}>
          <Keys of={runCommands.run} /> runs what is open · <Keys of={helpCommand} /> lists every key
        </p>
      </div>
    </div>
  );
}
