/** The window's data of sweeps. The host's events write it; renderer/sweep/actions.ts sends requests. */
import { create } from 'zustand';
import type { Sweep, SweepOutcome, SweepSummary } from '../../core/service/service.ts';
import { assign, state } from './store.ts';
import type { Loading } from './types.ts';

export interface SweepState {
  /** Every sweep of the host, by id. */
  readonly summaries: Readonly<Record<string, SweepSummary>>;
  /** Opened sweeps, with their points as they arrive. */
  readonly opened: Readonly<Record<string, Loading<Sweep>>>;
}

export const useSweeps = create<SweepState>()(() => ({ summaries: {}, opened: {} }));

/** Takes the host's list. After a new connection, opened sweeps are read again. */
export function setSweeps(list: readonly SweepSummary[]): void {
  useSweeps.setState({ summaries: Object.fromEntries(list.map((sweep) => [sweep.id, sweep])), opened: {} });
}

/** Points that came while their sweep was being read, whose data may be older. */
const early = new WeakMap<Loading<Sweep>, SweepOutcome[]>();

/** Marks a sweep as being read. The returned function takes the result, and drops it if the sweep is gone. */
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

/** Hundreds of points may come in a second; a person sees about this number of changes. */
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

/** Writes everything since the last call at once. */
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

/** Adds the runs of points, which open and compare like any run. */
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

/** Adds outcomes. A point that ran again keeps only its last outcome. */
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
    // A sweep that failed to load may be readable now, so it is read again.
    if (sweep?.status === 'failed') return { summaries: { ...others, [id]: summary }, opened: rest };
    const shown = sweep?.status === 'ready' ? { ...sweep, value: withSummary(sweep.value, summary) } : sweep;
    return { summaries: { ...others, [id]: summary }, opened: shown === undefined ? rest : { ...rest, [id]: shown } };
  });
}

/** Takes the new summary. A renamed sweep also runs again under its new name. */
const withSummary = (sweep: Sweep, summary: SweepSummary): Sweep => ({
  ...sweep,
  summary,
  document: sweep.document.name === summary.name ? sweep.document : { ...sweep.document, name: summary.name },
});
