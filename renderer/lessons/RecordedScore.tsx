/** The score of the recorded run, shown above its lanes if the learner's experiment differs from the lesson's. */
import { Button } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { Sheet } from '../score/Score.tsx';
import { pickRun } from '../store/runs.ts';
import { isOfPresent, loadedRun, predictionId, shownRunId } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './Lesson.module.css';
import { type OpenStep, recordingOf } from './useLesson.ts';

/** Returns the experiment of the shown recording if it differs from the open one, else null. */
export function useRecordedOfOther({ lesson, step, waits }: OpenStep): Experiment | null {
  const recording = recordingOf(lesson, step.shown?.name ?? '');
  return useApp((state) => {
    if (waits || recording === null || shownRunId(state) !== recording) return null;
    const run = loadedRun(state, recording);
    return run === null || isOfPresent(state, run) ? null : run.run.info.experiment;
  });
}

interface Props {
  readonly open: OpenStep;
  readonly experiment: Experiment;
}

export function RecordedScore({ open, experiment }: Props) {
  const { document } = open;
  return (
    <div className={classes['recordedScore']}>
      <p className={classes['recordedNote']} role="status">
        <IconInfoCircle size={16} aria-hidden />
        <span>
          <strong>Recorded.</strong> Your own score differs: its lanes are under Simulated.
        </span>
        {document === null ? null : (
          <Button variant="default" size="compact-xs" onClick={() => pickRun(predictionId(document))}>
            Back to mine
          </Button>
        )}
      </p>
      <div className={classes['recordedSheet']} inert>
        <Sheet experiment={experiment} />
      </div>
    </div>
  );
}
