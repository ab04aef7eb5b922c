/** The runs that can be compared, in display order. */
import type { RunSummary } from '../../core/service/service.ts';
import { byNewest, isPrediction } from '../store/select.ts';

/**
 * Returns the runs of `first` in its order, then the user's own, then built-in ones. A built-in trace that was also
 * opened as a file counts as the user's own.
 */
export function offered(
  runs: Readonly<Record<string, RunSummary>>,
  chosen: readonly string[],
  first: readonly string[] = [],
): RunSummary[] {
  const complete = Object.values(runs).filter(({ id, status }) => status === 'complete' && !isPrediction(id));
  const own = complete.filter(({ builtIn }) => !builtIn);
  const recordings = new Set(own.map(recordingOf));
  const shipped = complete.filter(
    (run) => run.builtIn && (chosen.includes(run.id) || !recordings.has(recordingOf(run))),
  );
  const all = [...own.sort(byNewest), ...shipped.sort(byNewest)];
  const places = new Map(first.map((id, place) => [id, place]));
  const place = ({ id }: RunSummary): number => places.get(id) ?? first.length;
  return all.sort((a, b) => place(a) - place(b));
}

/** Returns the same key for two files of one recording. */
const recordingOf = ({ name, createdAt, makespanNs }: RunSummary): string => `${createdAt} ${makespanNs} ${name}`;
