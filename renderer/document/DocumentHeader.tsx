import { ActionIcon, Button, Text, Tooltip } from '@mantine/core';
import { IconCopyPlus, IconPencil } from '@tabler/icons-react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { type ImportedFrom, type RunInfo, runName } from '../../core/trace/run.ts';
import { EnginePicker } from '../engine/EnginePicker.tsx';
import { RunButton, RunProgressLine } from '../engine/RunButton.tsx';
import { makeOwn } from '../store/ownCopy.ts';
import { currentExperiment } from '../store/select.ts';
import { select, useApp } from '../store/store.ts';
import classes from './DocumentHeader.module.css';

/** This element stays the same, so that an edit of the document doesn't redraw it. */
const picker = <EnginePicker key="engine" />;

/** Title and description, and the controls that run it. */
export function DocumentHeader() {
  const experiment = useApp(currentExperiment);
  return experiment === null ? null : <Header experiment={experiment} />;
}

function Header({ experiment }: { readonly experiment: Experiment }) {
  const page = useApp((state) => state.page);
  const title = useApp(({ runs }) => (page.kind === 'run' ? runs[page.id]?.title : undefined));
  const name = title ?? experiment.name;
  const description =
    title === undefined ? experiment.description : `A run of “${experiment.name}”. ${experiment.description}`;
  const running = useApp((state) => Object.values(state.runs).some((run) => run.status === 'running'));
  return (
    <div className={classes['header']}>
      <div className={classes['text']}>
        <div className={classes['title']}>
          <h1 title={name}>{name}</h1>
          <Tooltip label="Name, description and environment">
            <ActionIcon size="sm" aria-label="Experiment settings" onClick={() => select({ kind: 'experiment' })}>
              <IconPencil size={14} />
            </ActionIcon>
          </Tooltip>
        </div>
        <Text className={classes['description'] ?? ''} size="sm" c="dimmed" lineClamp={2} title={description}>
          {description}
        </Text>
      </div>
      <div className={classes['controls']}>
        <div className={classes['row']}>
          {picker}
          <RunButton />
        </div>
        {running ? (
          <RunProgressLine />
        ) : (
          <div className={classes['row']}>
            <span className={`${classes['facts']} tabular`}>{runFacts(experiment)}</span>
            {page.kind === 'experiment' ? null : <SaveCopy />}
          </div>
        )}
      </div>
    </div>
  );
}

/** Names of the programs that recorded traces. */
const recorders: Readonly<Record<ImportedFrom['format'], string>> = {
  'pytorch-profiler': "PyTorch's profiler",
  'nsight-systems': 'Nsight Systems',
  'copyscope-record': 'copyscope record',
};

/** The header of a real program's trace, which can't run again. */
export function TraceHeader({ info }: { readonly info: RunInfo }) {
  const name = useApp(({ page, runs }) => (page.kind === 'run' ? runs[page.id]?.title : undefined)) ?? runName(info);
  return (
    <div className={classes['header']}>
      <div className={classes['text']}>
        <h1 title={name}>{name}</h1>
        <Text className={classes['description'] ?? ''} size="sm" c="dimmed">
          A trace of {recorders[info.imported?.format ?? 'pytorch-profiler']}: what ran, without the program that ran
          it.
        </Text>
      </div>
    </div>
  );
}

function SaveCopy() {
  return (
    <Tooltip label="Keep a copy among your own experiments">
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        leftSection={<IconCopyPlus size={13} aria-hidden />}
        onClick={() => void makeOwn()}
      >
        Save a copy
      </Button>
    </Tooltip>
  );
}

function runFacts({ environment }: Experiment): string {
  const times = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
  return `${times(environment.iterations, 'iteration')}, ${times(environment.warmups, 'warm-up')}`;
}
