/** Reads a probe's run by the labels of its operations. */

import { append } from '../../groupBy.ts';
import { lower } from '../../program/lower.ts';
import { type Activity, activity, iterationOf } from '../../trace/iteration.ts';
import { iterationsOf } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';

export type Span = Pick<Activity, 'startNs' | 'endNs' | 'name' | 'channelType' | 'bytes' | 'laneId'>;

export const durationOf = ({ startNs, endNs }: Span): number => endNs - startNs;

/** One recorded iteration. Lists are in order of start. */
export class Recorded {
  readonly #host = new Map<string, Activity[]>();
  readonly #device = new Map<string, Activity[]>();

  constructor(run: Run, number: number, labels: readonly string[]) {
    const iteration = iterationOf(run.trace, number);
    for (let row = iteration.begin; row < iteration.end; row += 1) {
      const one = activity(run.trace, row);
      const label = labels[one.op];
      if (label === undefined) continue;
      append(one.laneId.startsWith('thread:') ? this.#host : this.#device, label, one);
    }
  }

  /** Returns host rows of an operation: its calls or its host work, optionally only those with this name. */
  calls(label: string, name?: string): readonly Span[] {
    const all = this.#host.get(label) ?? [];
    return name === undefined ? all : all.filter((row) => row.name === name);
  }

  call(label: string, name?: string): Span | undefined {
    return this.calls(label, name)[0];
  }

  /** Returns stream rows with a duration. */
  works(label: string): readonly Span[] {
    return (this.#device.get(label) ?? []).filter(({ kind }) => kind !== 'event-record' && kind !== 'event-wait');
  }

  work(label: string): Span | undefined {
    return this.works(label)[0];
  }
}

/** Return the durations of an operation's calls, and of its work. */
export const callNs =
  (label: string, name?: string) =>
  (recorded: Recorded): number[] =>
    recorded.calls(label, name).map(durationOf);
export const workNs =
  (label: string) =>
  (recorded: Recorded): number[] =>
    recorded.works(label).map(durationOf);

/** Returns every recorded iteration of a run. */
export function readings(run: Run): Recorded[] {
  const { experiment } = run.info;
  const labels = experiment === null ? [] : lower(experiment).operations.map(({ label }) => label);
  return iterationsOf(run.trace).map((number) => new Recorded(run, number, labels));
}
