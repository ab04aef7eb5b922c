/** What the window knows of sweeps. The host's events write it; renderer/sweep/actions.ts asks the host. */
import { create } from 'zustand';
import type { Sweep, SweepOutcome, SweepSummary } from '../../core/service/service.ts';
import { assign, state } from './store.ts';
import type { Loading } from './types.ts';

export interface SweepState {
  /** Every sweep that the host keeps, by id. */
  readonly summaries: Readonly<Record<string, SweepSummary>>;
  /** Those that were opened, with their points as they come. */
  readonly opened: Readonly<Record<string, Loading<Sweep>>>;
}

export const useSweeps = create<SweepState>()(() => ({ summaries: {}, opened: {} }));

/** As the host lists them: after a connection, what was opened is read anew. */
export function setSweeps(list: readonly SweepSummary[]): void {
  useSweeps.setState({ summaries: Object.fromEntries(list.map((sweep) => [sweep.id, sweep])), opened: {} });
}

/** Points that came while their sweep was being read: what is read may be older. */
const early = new WeakMap<Loading<Sweep>, SweepOutcome[]>();

/** Marks a sweep as being read. What came of that goes to the function returned; it is dropped where the sweep has gone. */
export function beginOpening(id: string): (sweep: Loading<Sweep>) => void {
  const reading: Loading<Sweep> = { status: 'loading' };
  const since: SweepOutcome[] = [];
  early.set(reading, since);
  setOpened(id, reading);
  return (sweep) => {
    const { opened, summaries } = useSweeps.getState();
    if (opened[id] !== reading) return;
    if (sweep.status !== 'ready') return setOpened(id, sweep);
    const value = withOutcomes(sweep.value, since);
    setOpened(id, { status: 'ready', value: withSummary(value, summaries[id] ?? value.summary) });
  };
}

const setOpened = (id: string, sweep: Loading<Sweep>): void =>
  useSweeps.setState(({ opened }) => ({ opened: { ...opened, [id]: sweep } }));

/** Points may come by the hundred in a second; a person sees about this many changes. */
const flushMs = 120;

let changed = new Map<string, SweepSummary | null>();
let points = new Map<string, SweepOutcome[]>();
let timer: ReturnType<typeof setTimeout> | undefined;

export function onSweepChanged(id: string, summary: SweepSummary | null): void {
  changed.set(id, summary);
  if (summary?.status === 'running') timer ??= setTimeout(flush, flushMs);
  else flush();
}

export function onSweepPoint(id: string, outcome: SweepOutcome): void {
  points.set(id, [...(points.get(id) ?? []), outcome]);
  timer ??= setTimeout(flush, flushMs);
}

/** Writes what has come since the last time, in one go. */
function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  const [summaries, outcomes] = [changed, points];
  changed = new Map();
  points = new Map();
  putRuns([...outcomes.values()].flat());
  for (const [id, list] of outcomes) addOutcomes(id, list);
  for (const [id, summary] of summaries) setSummary(id, summary);
}

/** The runs of points are runs as any: they open, and are compared. */
function putRuns(outcomes: readonly SweepOutcome[]): void {
  const made = outcomes.flatMap((outcome) =>
    outcome.status === 'done' ? [[outcome.run.id, outcome.run] as const] : [],
  );
  if (made.length > 0) assign({ runs: { ...state().runs, ...Object.fromEntries(made) } });
}

function addOutcomes(id: string, list: readonly SweepOutcome[]): void {
  const sweep = useSweeps.getState().opened[id];
  if (sweep === undefined) return;
  early.get(sweep)?.push(...list);
  if (sweep.status === 'ready') setOpened(id, { status: 'ready', value: withOutcomes(sweep.value, list) });
}

/** A point that was run again is there once, as it became last. */
function withOutcomes(sweep: Sweep, list: readonly SweepOutcome[]): Sweep {
  const reached = new Map(sweep.outcomes.map((outcome) => [outcome.point, outcome]));
  for (const outcome of list) reached.set(outcome.point, outcome);
  return { ...sweep, outcomes: [...reached.values()] };
}

function setSummary(id: string, summary: SweepSummary | null): void {
  useSweeps.setState(({ summaries, opened }) => {
    const { [id]: _, ...others } = summaries;
    const { [id]: sweep, ...rest } = opened;
    if (summary === null) return { summaries: others, opened: rest };
    // What could not be read may be there again: it is read anew.
    if (sweep?.status === 'failed') return { summaries: { ...others, [id]: summary }, opened: rest };
    const shown = sweep?.status === 'ready' ? { ...sweep, value: withSummary(sweep.value, summary) } : sweep;
    return { summaries: { ...others, [id]: summary }, opened: shown === undefined ? rest : { ...rest, [id]: shown } };
  });
}

/** A sweep that was renamed is also run again under its new name. */
const withSummary = (sweep: Sweep, summary: SweepSummary): Sweep => ({
  ...sweep,
  summary,
  document: sweep.document.name === summary.name ? sweep.document : { ...sweep.document, name: summary.name },
});
