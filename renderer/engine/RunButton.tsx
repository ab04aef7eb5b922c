import { Button, Progress, Tooltip } from '@mantine/core';
import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import type { RunProgress } from '../../core/program/engine.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { commands, withKeys } from '../commands/command.ts';
import { takeOverTyped } from '../store/editing/edit.ts';
import { cancelCurrent, runCurrent } from '../store/runs.ts';
import { pageDocumentKey, runUnderWay, whyNoRun } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import type { AppState } from '../store/types.ts';
import classes from './RunButton.module.css';

/** The key of `run` works wherever the focus is. */
export const runCommands = commands('Run', {
  run: {
    name: 'Run what is open',
    keys: ['mod Enter'],
    icon: IconPlayerPlayFilled,
    when: (now) => whyNoRun(now) === null && runUnderWay(now) === undefined,
    // With the text being typed into a field. If the field refuses it, nothing runs.
    run: async () => {
      if (await takeOverTyped()) await runCurrent();
    },
  },
  cancel: { name: 'Cancel the run', when: (now) => runUnderWay(now) !== undefined, run: cancelCurrent },
});

/** The Run button, or Cancel during a run. Both have one width, so that nothing moves under the pointer. */
export function RunButton() {
  const running = useApp(runUnderWay);
  // A run that has ended counts as under way until its lanes are there.
  const pending = useApp((state) => state.pendingRuns[pageDocumentKey(state) ?? ''] !== undefined);
  const blocked = useApp(whyNoRun);
  if (running !== undefined || pending) {
    return (
      <Button
        variant="default"
        className={classes['button'] ?? ''}
        leftSection={<IconPlayerStopFilled size={13} aria-hidden />}
        onClick={() => void cancelCurrent()}
      >
        Cancel
      </Button>
    );
  }
  return (
    <Tooltip label={blocked ?? withKeys(runCommands.run, 'Run it')}>
      <Button
        className={classes['button'] ?? ''}
        leftSection={<IconPlayerPlayFilled size={13} aria-hidden />}
        aria-keyshortcuts="Control+Enter"
        {...(blocked === null ? {} : { 'data-disabled': true })}
        aria-disabled={blocked !== null}
        onClick={() => {
          if (blocked === null) void runCurrent();
        }}
      >
        Run
      </Button>
    </Tooltip>
  );
}

const phases: Readonly<Record<RunProgress['phase'], string>> = {
  preparing: 'Preparing',
  'warming-up': 'Warming up',
  timing: 'Timing',
  recording: 'Recording',
  verifying: 'Verifying',
};

/** Returns the progress of a run under way as text. */
export function progressWords({ progress }: AppState, { id }: RunSummary): string {
  const now = progress[id];
  if (now === undefined) return 'Starting';
  return `${phases[now.phase]}${now.total > 1 ? ` ${now.done}/${now.total}` : ''}`;
}

/** Returns the progress of the current phase, from 0 to 1. */
export function progressShare({ progress }: AppState, { id }: RunSummary): number {
  const now = progress[id];
  return now === undefined || now.total === 0 ? 0 : now.done / now.total;
}

/** Progress of the run under way; empty if there is none. */
export function RunProgressLine() {
  const running = useApp(runUnderWay);
  const words = useApp((state) => (running === undefined ? '' : progressWords(state, running)));
  const share = useApp((state) => (running === undefined ? 0 : progressShare(state, running)));
  if (running === undefined) return null;
  return (
    <div className={classes['progress']}>
      <span className="tabular" role="status">
        {words}
      </span>
      <Progress value={share * 100} size="sm" aria-label={`Progress of ${running.name}`} />
    </div>
  );
}
