/** Unsaved changes, kept where a crash of the window or the host can't reach them. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { parseExperimentText } from '../../../core/experiment/parse.ts';
import { forget, recall, remember } from '../settings.ts';

const nameOf = (key: string): string => `draft:${key}`;
/** An edit is kept after this long at the latest. */
const delayMs = 250;

const waiting = new Map<string, Experiment>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Keeps a document's changes soon; the last one of a quick series. */
export function keepDraft(key: string, experiment: Experiment): void {
  waiting.set(key, experiment);
  timer ??= setTimeout(flushDrafts, delayMs);
}

/** Keeps at once what is waiting: before the page goes. */
export function flushDrafts(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  for (const [key, experiment] of waiting) remember(nameOf(key), JSON.stringify(experiment));
  waiting.clear();
}

export function dropDraft(key: string): void {
  waiting.delete(key);
  forget(nameOf(key));
}

/** Changes that were not saved; null where there are none, or they can't be read. */
export function draftOf(key: string): Experiment | null {
  const text = recall(nameOf(key));
  const parsed = text === null ? null : parseExperimentText(text);
  return parsed?.ok === true ? parsed.experiment : null;
}
