/** Makespans of several runs side by side, each with its spread and origin. */
import { type Spread, spread } from '../../core/statistics.ts';
import type { Run, RunOrigin } from '../../core/trace/run.ts';
import { deviceOf } from './breakdowns.ts';
import type { BarSpec } from './spec.ts';

export interface Strategy {
  readonly label: string;
  readonly origin: RunOrigin;
  readonly device: string;
  /** Time in ISO 8601. */
  readonly date: string;
  /** Spread of the makespan; null if nothing was recorded. */
  readonly makespan: Spread | null;
  /** Id of the run for onOpen. */
  readonly id?: string;
}

export function strategyOf(id: string, label: string, { info }: Run, origin: RunOrigin): Strategy {
  const device = deviceOf({ device: info.device, profile: info.profile ?? null, machine: info.machine });
  const makespan = spread(info.iterations.recordedMakespanNs);
  return { label, origin, device, date: info.createdAt, makespan, id };
}

/** Returns a bar for each strategy in the given order. Runs with one name get their device added. */
export function strategyBars(strategies: readonly Strategy[]): BarSpec {
  const devices = [...new Set(strategies.map(({ device }) => device))];
  return {
    kind: 'bars',
    title: 'Makespan by strategy',
    provenance: {
      origins: strategies.map(({ origin }) => origin),
      device: devices.join(' and '),
      date:
        strategies
          .map(({ date }) => date)
          .sort()
          .at(-1) ?? '',
    },
    by: 'Strategy',
    categories: strategies.map(({ label, origin, device }) => ({
      label: devices.length > 1 ? `${label}, ${device}` : label,
      origin,
    })),
    value: { name: 'Makespan', unit: 'ns' },
    rows: [
      {
        name: 'Makespan',
        cells: strategies.map(({ makespan, id }) => {
          const own = id === undefined ? {} : { id };
          if (makespan === null) return { problem: 'nothing was recorded', ...own };
          const { median, min, max, count } = makespan;
          return { value: median, low: min, high: max, count, ...own };
        }),
      },
    ],
  };
}
