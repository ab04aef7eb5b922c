import { Button, Progress, Tooltip } from '@mantine/core';
import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import type { RunProgress } from '../../core/program/engine.ts';
import { hasLostLine, machineNamed } from '../store/machines.ts';
import { cancelCurrent, runCurrent } from '../store/runs.ts';
import { pageDocumentKey, runUnderWay, whyNoRun } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './RunButton.module.css';

const shortcut = /Mac/.test(navigator.userAgent) ? '⌘ Enter' : 'Ctrl+Enter';

/** Run; while something runs, Cancel. Both are equally wide, so that nothing moves under the pointer. */
export function RunButton() {
  const running = useApp(runUnderWay);
  // A run that has ended is under way until its lanes are there.
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
    <Tooltip label={blocked ?? `Run it (${shortcut})`}>
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

/** How far the run under way is; nothing where none is. */
export function RunProgressLine() {
  const running = useApp(runUnderWay);
  const progress = useApp((state) => (running === undefined ? undefined : state.progress[running.id]));
  const machine = useApp((state) => machineNamed(state.machines, running?.host));
  if (running === undefined) return null;
  const isLost = machine !== undefined && hasLostLine(machine);
  const goesOn = `No line to ${running.host}: it goes on there, and its result comes when the line is back`;
  const share = progress === undefined || progress.total === 0 ? 0 : progress.done / progress.total;
  const text = isLost ? goesOn : progress === undefined ? 'Starting' : phases[progress.phase];
  const count = !isLost && progress !== undefined && progress.total > 1 ? ` ${progress.done}/${progress.total}` : '';
  return (
    <div className={classes['progress']}>
      <span className="tabular" role="status">
        {text}
        {count}
      </span>
      <Progress value={share * 100} size="sm" aria-label={`Progress of ${running.name}`} />
    </div>
  );
}
