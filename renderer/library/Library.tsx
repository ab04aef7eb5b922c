/** The left panel: examples, the user's experiments, and runs with what their numbers are. */
import { ActionIcon, Button, FileButton, Group, Loader, Menu, Modal, Text, TextInput, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconBan,
  IconCopy,
  IconDots,
  IconFileImport,
  IconFlask,
  IconFolderOpen,
  IconLoader2,
  IconPencil,
  IconPlus,
  IconTimeline,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { RunSummary } from '../../core/service/service.ts';
import { formatDuration } from '../../core/units.ts';
import { documentKey } from '../app/page.ts';
import { deleteExperiment, deleteRun, openFile, openPage } from '../app/store/actions.ts';
import { duplicateExperiment, newExperiment, renameExperiment } from '../app/store/editing.ts';
import { byNewest, isPrediction } from '../app/store/select.ts';
import { useApp } from '../app/store/store.ts';
import { OriginBadge } from '../common/Origin.tsx';
import { formatMoment } from '../common/time.ts';
import { SweepList } from '../sweep/SweepList.tsx';
import { exampleGroups } from './groups.ts';
import classes from './Library.module.css';

export function Library() {
  const ready = useApp((state) => state.libraryReady);
  return (
    <section className={classes['library']} aria-label="Library">
      {ready ? (
        <>
          <Examples />
          <Experiments />
          <SweepList />
          <Runs />
        </>
      ) : (
        <Text c="dimmed" size="sm" p="md" component="div" role="status">
          <Loader size={12} mr={8} />
          Reading the library…
        </Text>
      )}
    </section>
  );
}

function Examples() {
  const examples = useApp((state) => state.examples);
  const groups = exampleGroups(examples);
  const page = useApp((state) => state.page);
  return (
    <Section
      title="Examples"
      empty="No examples were found."
      count={groups.reduce((sum, group) => sum + group.examples.length, 0)}
    >
      {groups.map((group) => (
        <div key={group.title}>
          <h3 className={classes['group']}>{group.title}</h3>
          <ul className={classes['list']} aria-label={group.title}>
            {group.examples.map((example) => (
              <Item
                key={example.id}
                icon={<IconFlask size={15} aria-hidden />}
                name={example.name}
                current={page.kind === 'example' && page.id === example.id}
                onOpen={() => openPage({ kind: 'example', id: example.id })}
              />
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}

function Experiments() {
  const experiments = useApp((state) => state.experiments);
  const edits = useApp((state) => state.edits);
  const page = useApp((state) => state.page);
  return (
    <Section
      title="Experiments"
      count={experiments.length}
      action={<NewExperimentButton />}
      empty="None of your own yet. Begin a new one, or change an example: that makes a copy."
    >
      <ul className={classes['list']}>
        {experiments.map((experiment) => (
          <Item
            key={experiment.id}
            icon={
              experiment.problem === undefined ? (
                <IconFolderOpen size={15} aria-hidden />
              ) : (
                <IconAlertTriangle size={15} color="var(--warn)" aria-label="Can’t be opened" />
              )
            }
            name={experiment.name}
            {...((edits[documentKey({ kind: 'experiment', id: experiment.id })]?.dirty ?? experiment.hasDraft)
              ? { detail: 'Unsaved changes' }
              : {})}
            current={page.kind === 'experiment' && page.id === experiment.id}
            onOpen={() => openPage({ kind: 'experiment', id: experiment.id })}
            onDelete={() => void deleteExperiment(experiment.id)}
            {...(experiment.problem === undefined
              ? {
                  onRename: (name: string) => void renameExperiment(experiment.id, name),
                  onDuplicate: () => void duplicateExperiment(experiment.id),
                }
              : {})}
          />
        ))}
      </ul>
    </Section>
  );
}

function Runs() {
  const runs = useApp((state) => state.runs);
  const page = useApp((state) => state.page);
  const sorted = Object.values(runs)
    .filter(({ id, sweep }) => !isPrediction(id) && sweep === undefined)
    .sort(byNewest);
  return (
    <Section title="Runs" count={sorted.length} empty="Runs appear here as you make them." action={<OpenFileButton />}>
      <ul className={classes['list']}>
        {sorted.map((run) => (
          <Item
            key={run.id}
            icon={<IconTimeline size={15} aria-hidden />}
            name={run.name}
            detail={<RunDetail run={run} />}
            current={page.kind === 'run' && page.id === run.id}
            onOpen={() => openPage({ kind: 'run', id: run.id })}
            {...(run.builtIn ? {} : { onDelete: () => void deleteRun(run.id) })}
          />
        ))}
      </ul>
    </Section>
  );
}

function RunDetail({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <OriginBadge origin={run.origin} compact />
      <span className={`${classes['fact']} tabular`}>
        <RunOutcome run={run} />
      </span>
      <span className={`${classes['when']} tabular`}>{formatMoment(run.createdAt)}</span>
    </>
  );
}

function RunOutcome({ run }: { readonly run: RunSummary }) {
  switch (run.status) {
    case 'running':
      return (
        <>
          <IconLoader2 size={12} aria-hidden /> running
        </>
      );
    case 'failed':
      return (
        <span className={classes['failed']}>
          <IconAlertTriangle size={12} aria-hidden /> failed
        </span>
      );
    case 'cancelled':
      return (
        <>
          <IconBan size={12} aria-hidden /> cancelled
        </>
      );
    default:
      return run.makespanNs === null ? null : formatDuration(run.makespanNs);
  }
}

function OpenFileButton() {
  return (
    <FileButton onChange={(file) => file !== null && void openFile(file)} accept=".arrow,.json,.gz">
      {(props) => (
        <Tooltip label="Open a run (.arrow) or an experiment (.json)">
          <ActionIcon {...props} size="sm" aria-label="Open a run file or an experiment">
            <IconFileImport size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
  );
}

interface SectionProps {
  readonly title: string;
  readonly count: number;
  readonly empty: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, count, empty, action, children }: SectionProps) {
  return (
    <section className={classes['section']} aria-label={title}>
      <div className={classes['heading']}>
        <h2>{title}</h2>
        <span className={classes['count']} aria-hidden>
          {count === 0 ? '' : count}
        </span>
        {action}
      </div>
      {count === 0 ? <p className={classes['empty']}>{empty}</p> : children}
    </section>
  );
}

interface ItemProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly detail?: ReactNode;
  readonly current: boolean;
  readonly onOpen: () => void;
  readonly onDelete?: () => void;
  readonly onRename?: (name: string) => void;
  readonly onDuplicate?: () => void;
}

function Item({ icon, name, detail, current, onOpen, onDelete, onRename, onDuplicate }: ItemProps) {
  const [asking, setAsking] = useState(false);
  const [renaming, setRenaming] = useState(false);
  return (
    <li className={classes['item']} data-current={current || undefined}>
      <button type="button" className={classes['open']} aria-current={current ? 'page' : undefined} onClick={onOpen}>
        <span className={classes['icon']}>{icon}</span>
        <span className={classes['text']}>
          <span className={classes['name']} title={name}>
            {name}
          </span>
          {detail === undefined ? null : <span className={classes['detail']}>{detail}</span>}
        </span>
      </button>
      {onDelete === undefined ? null : (
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon className={classes['more'] ?? ''} size="sm" aria-label={`More about ${name}`}>
              <IconDots size={15} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {onRename === undefined ? null : (
              <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => setRenaming(true)}>
                Rename…
              </Menu.Item>
            )}
            {onDuplicate === undefined ? null : (
              <Menu.Item leftSection={<IconCopy size={15} />} onClick={onDuplicate}>
                Duplicate
              </Menu.Item>
            )}
            <Menu.Item c="var(--bad)" leftSection={<IconTrash size={15} />} onClick={() => setAsking(true)}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {onDelete === undefined ? null : (
        <ConfirmDelete opened={asking} name={name} onClose={() => setAsking(false)} onDelete={onDelete} />
      )}
      {onRename === undefined || !renaming ? null : (
        <RenameDialog name={name} onClose={() => setRenaming(false)} onRename={onRename} />
      )}
    </li>
  );
}

interface RenameProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRename: (name: string) => void;
}

function RenameDialog({ name, onClose, onRename }: RenameProps) {
  const [text, setText] = useState(name);
  return (
    <Modal opened onClose={onClose} title="Rename" centered size="sm" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          if (text.trim() !== '' && text !== name) onRename(text.trim());
        }}
      >
        <TextInput
          label="Name"
          value={text}
          maxLength={200}
          data-autofocus
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group gap="xs" justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Rename</Button>
        </Group>
      </form>
    </Modal>
  );
}

function NewExperimentButton() {
  return (
    <Tooltip label="New experiment (Alt+N)">
      <ActionIcon size="sm" aria-label="New experiment" onClick={() => void newExperiment()}>
        <IconPlus size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

interface ConfirmDeleteProps {
  readonly opened: boolean;
  readonly name: string;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

function ConfirmDelete({ opened, name, onClose, onDelete }: ConfirmDeleteProps) {
  const act = (): void => {
    onClose();
    onDelete();
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Delete it?"
      centered
      size="sm"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text mb="md">“{name}” is removed from this computer. This can’t be undone.</Text>
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red" onClick={act}>
          Delete
        </Button>
      </Group>
    </Modal>
  );
}
