/** The first page: the purpose of Copyscope, and four examples to start with. */
import { Button, Kbd } from '@mantine/core';
import { IconSchool } from '@tabler/icons-react';
import { CommandButton } from '../commands/buttons.tsx';
import { type Entry, shownKeys } from '../commands/command.ts';
import { runCommands } from '../engine/RunButton.tsx';
import { openCommand } from '../files/files.ts';
import { exampleGroups } from '../store/exampleGroups.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { helpCommand, learnCommands, windowCommands } from './commands.ts';
import { RecentList } from './RecentList.tsx';
import classes from './WelcomePage.module.css';

const begin = [windowCommands.newExperiment, openCommand, windowCommands.record, windowCommands.remote];

const Keys = ({ of: { keys = [] } }: { readonly of: Entry }) => <Kbd>{keys.slice(0, 1).map(shownKeys)}</Kbd>;

/** The examples that the comparison shows. */
const comparedGroup = 'Overlap: four cases';

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

export function WelcomePage() {
  const examples = useApp((state) => state.examples);
  return (
    <div className={classes['page']}>
      <div className={classes['column']}>
        <h1>See what overlapped, and why</h1>
        <p>
          An experiment is a small CUDA program: copies, kernels, streams and events. Open one, run it on a GPU or on a
          simulated one, and read from the lanes what every stream, copy engine and host thread did. A trace of
          PyTorch’s profiler or of Nsight Systems opens too, and says what would make its step shorter.
        </p>
        <p className={classes['begin']}>
          <Button
            leftSection={<IconSchool size={16} aria-hidden />}
            onClick={() => openPage({ kind: 'lesson', id: 'first-overlap', step: 0 })}
          >
            Begin with the first lesson
          </Button>
          <Button variant="default" onClick={learnCommands.lessons.run}>
            All lessons
          </Button>
          {begin.map((command) => (
            <CommandButton key={command.id} command={command} />
          ))}
        </p>
        <RecentList />
        {exampleGroups(examples).map((group) => (
          <section key={group.title} aria-label={group.title}>
            <div className={classes['heading']}>
              <h2>{group.title}</h2>
              {group.title === comparedGroup ? (
                <CommandButton command={windowCommands.compare} label="See them side by side" />
              ) : null}
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
