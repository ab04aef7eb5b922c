/** The user's own experiments. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCopy, IconFolderOpen, IconPlus } from '@tabler/icons-react';
import { type ExperimentSummary, libraryItems } from '../../core/service/service.ts';
import { duplicateExperiment, newExperiment } from '../store/editing/library.ts';
import { documentKey } from '../store/page.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { Item, type ItemAction } from './Item.tsx';
import { deleteAction, exportAction, renameAction } from './itemActions.tsx';
import classes from './Library.module.css';
import { Section } from './Section.tsx';

interface Props {
  readonly experiments: readonly ExperimentSummary[];
  readonly order: readonly string[];
}

export function ExperimentList({ experiments, order }: Props) {
  const page = useApp((state) => state.page);
  const edits = useApp((state) => state.edits);
  return (
    <Section
      title="Experiments"
      count={experiments.length}
      action={<NewExperimentButton />}
      empty="None of your own yet. Begin a new one, or change an example: that makes a copy."
    >
      <ul className={classes['list']}>
        {experiments.map((experiment) => {
          const { id, name, hasDraft, problem } = experiment;
          const item = { kind: 'experiment', id } as const;
          const isUnsaved = edits[documentKey(item)]?.dirty ?? hasDraft;
          return (
            <Item
              key={id}
              item={item}
              order={order}
              icon={
                problem === undefined ? (
                  <IconFolderOpen size={15} aria-hidden />
                ) : (
                  <IconAlertTriangle size={15} color="var(--warn)" aria-label="Can’t be opened" />
                )
              }
              name={name}
              {...(isUnsaved ? { detail: 'Unsaved changes' } : {})}
              current={page.kind === 'experiment' && page.id === id}
              onOpen={() => openPage(item)}
              actions={actionsOf(experiment)}
            />
          );
        })}
      </ul>
    </Section>
  );
}

function actionsOf({ id, name, problem }: ExperimentSummary): ItemAction[] {
  const items = libraryItems({ experiments: [id] });
  const remove = deleteAction(items);
  if (problem !== undefined) return [remove];
  return [
    renameAction({ kind: 'experiment', id }),
    { label: 'Duplicate', icon: <IconCopy size={15} />, act: () => void duplicateExperiment(id) },
    exportAction(items, name),
    remove,
  ];
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
