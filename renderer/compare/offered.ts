/** The runs that a comparison can be made of, in the order in which they are offered. */
import type { RunSummary } from '../../core/service/service.ts';
import { byNewest, isPrediction } from '../store/select.ts';

/**
 * Those of `first` in its order, one's own, and then those that ship with the program; a trace that ships and was opened as a
 * file too is one's own.
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

/** The same of two files that hold one recording. */
const recordingOf = ({ name, createdAt, makespanNs }: RunSummary): string => `${createdAt} ${makespanNs} ${name}`;
