/** The recorded runs of a lesson's experiments. */
import type { Lesson } from '../../core/lessons/lesson.ts';
import { recordedPrefix } from '../../core/service/service.ts';
import type { Run } from '../../core/trace/run.ts';
import { ensureRun } from '../store/runs.ts';
import { loadedRun } from '../store/select.ts';
import { state, watch } from '../store/store.ts';

/** Returns the id of the recorded run of a lesson's experiment, or null if it isn't recorded. */
export function recordingOf({ experiments }: Lesson, experiment: string): string | null {
  const recorded = experiments[experiment]?.recorded ?? 'none yet';
  return recorded === 'none yet' ? null : recordedPrefix + recorded;
}

/** Returns a recorded run, also if another caller is reading it; null if it doesn't exist or can't be read. */
export async function readRecording(id: string | null): Promise<Run | null> {
  if (id === null || state().runs[id] === undefined) return null;
  await ensureRun(id);
  const isReading = (): boolean => state().loadedRuns[id]?.status === 'loading';
  await new Promise<void>((resolve) => {
    if (!isReading()) return resolve();
    const stop = watch(() => {
      if (isReading()) return;
      stop();
      resolve();
    });
  });
  return loadedRun(state(), id)?.run ?? null;
}
