/** The recorded runs that a lesson has of its experiments. */
import type { Lesson } from '../../core/lessons/lesson.ts';
import { recordedPrefix } from '../../core/service/service.ts';
import type { Run } from '../../core/trace/run.ts';
import { ensureRun } from '../store/runs.ts';
import { loadedRun } from '../store/select.ts';
import { state, watch } from '../store/store.ts';

/** Id of the recorded run of an experiment of the lesson; null where it has none yet. */
export function recordingOf({ experiments }: Lesson, experiment: string): string | null {
  const recorded = experiments[experiment]?.recorded ?? 'none yet';
  return recorded === 'none yet' ? null : recordedPrefix + recorded;
}

/** A recorded run, also where someone else has begun to read it; null where there is none, or it can't be read. */
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
