/**
 * The plan of an experiment: which few changes to all operations of a kind gain most together. Sets are built greedily, as
 * for traces (core/lift/plan): the best so far, and one change or pair more. Each set is repaired for data order, and
 * simulated on the same machine.
 */

import { applyChange, type Change, joinChanges } from '../../experiment/change.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import type { Machine } from '../../machine/cost/machineOf.ts';
import type { CostModel } from '../../machine/costModel.ts';
import { simulateInSteps } from '../../machine/simulate.ts';
import { lowerToSimulate } from '../../program/lower.ts';
import type { InSteps } from '../../steps.ts';
import { length } from '../../trace/intervals.ts';
import { activity, type Iteration, iterationOf, rowsOfKind } from '../../trace/iteration.ts';
import type { Interval } from '../../trace/run.ts';
import { formatBytes, formatDuration } from '../../units.ts';
import { rowUnion } from '../figures/overlap.ts';
import { Effort, withoutNewHazards } from '../hazards/repair.ts';
import { maxTriedInstructions, type Prediction } from './predict.ts';
import { gainIntervals } from './remedies.ts';
import { dropping, type WholeWord, wholeChanges, wholeWords } from './whole.ts';

/** A set of changes with its gain, with the fields that a remedy of a trace has (core/lift/plan). */
export interface PlannedChanges {
  readonly changes: readonly WholeWord[];
  /** Share of the makespan, with its 90 % interval. */
  readonly gainShare: number;
  readonly lowShare: number;
  readonly highShare: number;
  /** Makespan with the changes. */
  readonly stepNs: number;
  /** Time of the busiest engine, device or thread. */
  readonly floorNs: number;
  /** Changes that gain nothing alone. */
  readonly needed: readonly WholeWord[];
  readonly mayGainNothing: boolean;
  /** Conditions of the gain, in sentences. */
  readonly needs: readonly string[];
  /** Empty, as is `code`; see `steps` and `patches`. */
  readonly lines: readonly string[];
  readonly code: readonly string[];
  /** Additional device memory. */
  readonly keptBytes: number;
  /** A sentence for each change. */
  readonly steps: readonly string[];
  readonly patches: Change['patches'];
}

/** A change that gains less than this part of the makespan is not added to a set. */
const worthwhile = 0.01;
/** The same, for a change that holds only if the rounds of a loop don't need each other's results. */
const leastIfApart = 0.05;
/** A set that gains less than this in all is left out. */
const leastTold = 0.02;
const mostChanges = 5;
const mostTold = 8;
/** Limit of checked operations. */
const mostEffort = 30_000;

/** Changes that may only work together. */
const pairs: readonly (readonly WholeWord[])[] = [
  ['pin', 'non-blocking'],
  ['pin', 'other-stream'],
  ['non-blocking', 'other-stream'],
  ['other-stream', 'double-buffer'],
  ['pin', 'non-blocking', 'other-stream'],
];

interface Made {
  readonly words: readonly WholeWord[];
  readonly change: Change;
  readonly prediction: Prediction;
  readonly floorNs: number;
}

/** Returns the recommended set first; empty if no change gains enough. */
export function* planInSteps(before: Prediction, machine: Machine): InSteps<PlannedChanges[]> {
  const search = new Search(before, machine);
  const found = new Map<string, Made>();
  // Wrong data comes first: every set makes it right, as far as a repair is known.
  const first: readonly WholeWord[] = search.make(['mend-hazards']) === null ? [] : ['mend-hazards'];
  let best: readonly WholeWord[] | null = first;
  while (best !== null) {
    let next: Made | null = null;
    const now = search.gain(search.known(best));
    for (const addition of [...wholeWords.map((word) => [word]), ...pairs]) {
      const from: readonly WholeWord[] = best;
      const words = wholeWords.filter((word) => from.includes(word) || addition.includes(word));
      if (words.length === best.length || words.length > first.length + mostChanges) continue;
      yield;
      const made = search.make(words);
      const gain = search.gain(made);
      const least = addition.includes('prepare-ahead') ? leastIfApart : worthwhile;
      if (made === null || gain < now + least) continue;
      found.set(made.words.join(), made);
      const most = search.gain(next);
      const isSmaller = next !== null && made.words.length < next.words.length && gain > most - worthwhile / 4;
      if (next === null || gain > most + worthwhile / 4 || isSmaller) next = made;
    }
    const isFirst: boolean = best.length === first.length;
    const dropped: readonly WholeWord[] = isFirst ? dropping.filter((word) => found.has([...first, word].join())) : [];
    const without: Made | null = dropped.length === 0 ? null : search.make([...first, ...dropped]);
    if (without !== null) found.set(without.words.join(), without);
    best = (without ?? next)?.words ?? null;
  }
  const told = [...found.values()]
    .filter((one) => search.gain(one) >= leastTold && ![...found.values()].some((other) => search.isEnough(other, one)))
    .sort((a, b) => steps(search.merit(b)) - steps(search.merit(a)) || effortOf(a) - effortOf(b));
  const intervals = gainIntervals(before, machine.around);
  const plan: PlannedChanges[] = [];
  for (const made of told.slice(0, mostTold)) {
    yield;
    plan.push(describe(before, made, intervals(made.prediction), search));
  }
  return [...plan.filter((one) => !one.mayGainNothing), ...plan.filter((one) => one.mayGainNothing)];
}

/** Gains that are about equal. */
const steps = (gain: number): number => Math.round(gain / (worthwhile / 2));
/** Fewer changes first, then those that ask less of the program. */
const effortOf = ({ words }: Made): number =>
  words.reduce((sum, word) => sum + wholeWords.length + wholeWords.indexOf(word), 0);

function describe(before: Prediction, made: Made, interval: Interval | null, search: Search): PlannedChanges {
  const { words, change, prediction, floorNs } = made;
  const share = (ns: number): number => ns / before.makespanNs;
  const gainShare = search.gain(made);
  const lowShare = interval === null ? gainShare : Math.min(gainShare, share(interval.lowNs));
  const mostNs = before.makespanNs - floorNs;
  const highShare = interval === null ? gainShare : Math.max(gainShare, share(Math.min(mostNs, interval.highNs)));
  const isNeeded = (word: WholeWord): boolean =>
    words.length > 1 &&
    search.gain(search.make([word])) < worthwhile &&
    gainShare - search.gain(search.make(words.filter((one) => one !== word))) > worthwhile;
  return {
    changes: words,
    gainShare,
    lowShare,
    highShare,
    stepNs: prediction.makespanNs,
    floorNs,
    needed: words.filter(isNeeded),
    mayGainNothing: lowShare <= 0,
    needs: words.includes('pin') ? search.needsOfPin() : [],
    lines: [],
    code: [],
    keptBytes: deviceBytes(made.prediction.experiment) - deviceBytes(before.experiment),
    steps: change.steps,
    patches: change.patches,
  };
}

const deviceBytes = ({ buffers }: Experiment): number =>
  buffers.reduce((sum, buffer) => sum + (buffer.memory === 'device' ? bufferBytes(buffer) : 0), 0);

class Search {
  readonly #before: Prediction;
  readonly #machine: Machine;
  readonly #effort = new Effort(mostEffort);
  readonly #made = new Map<string, Made | null>();

  constructor(before: Prediction, machine: Machine) {
    this.#before = before;
    this.#machine = machine;
  }

  /** Says what pinning asks of the program, and what it takes to page-lock the memory on the spot. */
  needsOfPin(): string[] {
    const { experiment } = this.#before;
    const change = wholeChanges.pin(experiment, this.#effort);
    const places = new Set((change?.patches ?? []).flatMap(({ path: [list, at] }) => (list === 'buffers' ? [at] : [])));
    const sizes = experiment.buffers.flatMap((buffer, at) =>
      places.has(at) && buffer.memory === 'pageable' ? [bufferBytes(buffer)] : [],
    );
    if (sizes.length === 0) return [];
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const ns = sizes.reduce((sum, size) => sum + this.#machine.costs.memoryNs('cudaHostAlloc', size), 0);
    return [
      `It gains this only if the data is made in, or received into, page-locked memory. To page-lock these ${formatBytes(bytes)} takes ${formatDuration(ns)}, once.`,
    ];
  }

  gain(made: Made | null): number {
    return made === null ? 0 : 1 - made.prediction.makespanNs / this.#before.makespanNs;
  }

  /** Returns the gain, with a preference for dropped work: another change that hides it must gain clearly more. */
  merit(made: Made): number {
    return this.gain(made) + (made.words.some((word) => dropping.includes(word)) ? worthwhile : 0);
  }

  known(words: readonly WholeWord[]): Made | null {
    return this.#made.get(words.join()) ?? null;
  }

  /** Whether some of another set's changes gain as much as all of them. */
  isEnough(some: Made, all: Made): boolean {
    const isPart =
      some.words.length < all.words.length &&
      some.words.every((word) => all.words.includes(word)) &&
      all.words.every((word) => some.words.includes(word) || !dropping.includes(word));
    return isPart && this.gain(some) > this.gain(all) - worthwhile / 4;
  }

  /** Returns null if one of the changes alters nothing, or no repair keeps the data right. */
  make(words: readonly WholeWord[]): Made | null {
    const key = words.join();
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#effort.isOver ? null : this.#try(words);
    this.#made.set(key, made);
    return made;
  }

  #try(words: readonly WholeWord[]): Made | null {
    const { experiment } = this.#before;
    let whole: Change = { steps: [], patches: [] };
    let now: Experiment = experiment;
    try {
      for (const word of words) {
        const change = wholeChanges[word](now, this.#effort);
        const repaired = change === null ? null : withoutNewHazards(now, change, this.#effort);
        if (repaired === null) return null;
        whole = joinChanges(whole, repaired);
        now = applyChange(now, repaired);
      }
      const simulated = simulatedWith(now, this.#machine.costs);
      this.#effort.spend(simulated.prediction.program.operations.length);
      return { words, change: whole, ...simulated };
    } catch {
      // The change doesn't fit, or the changed program is too long.
      return null;
    }
  }
}

function simulatedWith(experiment: Experiment, costs: CostModel): Pick<Made, 'prediction' | 'floorNs'> {
  const program = lowerToSimulate(experiment);
  const steps = simulateInSteps(program, costs, { maxInstructions: maxTriedInstructions });
  for (;;) {
    const step = steps.next();
    if (step.done !== true) continue;
    const { trace, makespanNs } = step.value;
    const floorNs = Math.min(makespanNs, floorOf(iterationOf(trace, 0), costs));
    return { prediction: { experiment, program, makespanNs, verdicts: [] }, floorNs };
  }
}

/** Returns the time that the busiest of these needs: a device's kernels, a direction of a link, a thread's own work. */
export function floorOf(iteration: Iteration, costs: CostModel): number {
  const { trace } = iteration;
  const busy = new Map<string, number>();
  const add = (key: string, ns: number): void => void busy.set(key, (busy.get(key) ?? 0) + ns);
  const kernels = new Map<string, number[]>();
  for (const row of rowsOfKind(iteration, 'kernel', 'copy', 'host-work', 'host-read', 'host-write')) {
    const one = activity(trace, row);
    if (one.kind === 'kernel') kernels.set(one.device, [...(kernels.get(one.device) ?? []), row]);
    else if (one.kind === 'copy') {
      if (one.direction !== 'h2d' && one.direction !== 'd2h') continue;
      const [src, dst] = one.direction === 'h2d' ? (['pinned', 'device'] as const) : (['device', 'pinned'] as const);
      add(`${one.device} ${one.direction}`, costs.copy(one.bytes, { src, dst, from: 0, to: 0 }, true)?.deviceNs ?? 0);
    } else add(one.laneId, one.endNs - one.startNs);
  }
  for (const [device, rows] of kernels) {
    add(device, length(rowUnion(iteration, rows)));
  }
  return Math.max(0, ...busy.values());
}
