/** What the window knows of sweeps. The host's events write it; renderer/sweep/actions.ts asks the host. */
import { create } from 'zustand';
import type { Sweep, SweepOutcome, SweepSummary } from '../../core/service/service.ts';
import type { Loading } from '../app/store/types.ts';

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

export function setOpened(id: string, sweep: Loading<Sweep> | null): void {
  useSweeps.setState(({ opened }) => {
    const { [id]: _, ...others } = opened;
    return { opened: sweep === null ? others : { ...others, [id]: sweep } };
  });
}

export function onSweepChanged(id: string, summary: SweepSummary | null): void {
  useSweeps.setState(({ summaries, opened }) => {
    const { [id]: _, ...others } = summaries;
    const { [id]: sweep, ...rest } = opened;
    if (summary === null) return { summaries: others, opened: rest };
    const shown = sweep?.status === 'ready' ? { ...sweep, value: { ...sweep.value, summary } } : sweep;
    return { summaries: { ...others, [id]: summary }, opened: shown === undefined ? rest : { ...rest, [id]: shown } };
  });
}

export function onSweepPoint(id: string, outcome: SweepOutcome): void {
  const sweep = useSweeps.getState().opened[id];
  if (sweep?.status !== 'ready') return;
  const outcomes = [...sweep.value.outcomes.filter(({ point }) => point !== outcome.point), outcome];
  setOpened(id, { status: 'ready', value: { ...sweep.value, outcomes } });
}
