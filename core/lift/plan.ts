/**
 * Plans changes to a recorded program: applies each set of changes to the lifted program and simulates it with the
 * trace's own costs. Sets are built greedily: the best so far plus one change.
 */
import type { CostModel } from '../machine/costModel.ts';
import { lowerMedian } from '../statistics.ts';
import { type Assumptions, assumptionsOf, type KnownMachine, showsLink } from './assumptions.ts';
import { missingNs, spreadOf } from './caution.ts';
import { alters, applyChanges, isShownByTrace } from './changes/apply.ts';
import { workOnResults } from './changes/device.ts';
import { launchParts } from './changes/host.ts';
import { type ChangeWord, changeWords } from './changes/words.ts';
import { floorNs } from './needs.ts';
import { hostRate, type ProfilerCost, scaledCost, uninterrupted, withoutProfiler } from './profilerCost.ts';
import { replay } from './replay.ts';
import { copiesOf, type Item, isPageable, mapItems, type Script, type WorkItem } from './script.ts';

export interface Remedy {
  readonly changes: readonly ChangeWord[];
  /** Share of the unprofiled step, with its 90 % interval. */
  readonly gainShare: number;
  readonly lowShare: number;
  readonly highShare: number;
  readonly stepNs: number;
  /** Time that the device needs for the rest. */
  readonly floorNs: number;
  /** Changes that gain nothing alone. */
  readonly needed: readonly ChangeWord[];
}

export interface Plan {
  /** Present step without a profiler, in nanoseconds, and its 90 % interval. */
  readonly unprofiledNs: number;
  readonly remedies: readonly Remedy[];
}

export interface PlanInput {
  /** The recorded script, including the profiler's cost. */
  readonly script: Script;
  /** For what the trace doesn't show. */
  readonly costs: CostModel;
  readonly machine: KnownMachine;
  readonly profiler: ProfilerCost;
  /** Durations of recorded steps, if known. */
  readonly recordedNs?: readonly number[];
  /** Time of a typical step in which kernels kept a device busy, if that is nearly all of it: no change removes it. */
  readonly kernelsNs?: number;
  /** Unprofiled step that the person knows, in nanoseconds: the profiler's cost is scaled to fit it. */
  readonly knownStepNs?: number | undefined;
  /** Time of a recorded step in exposed communication, in nanoseconds; 0 if omitted. */
  readonly exposedCommunicationNs?: number | undefined;
}

/** Smallest share of the step that adds a change to a plan. */
const worthwhile = 0.01;
/** Smallest total gain that is reported. */
const leastTold = 0.02;
/** If kernels take this share of the step, the device may be the limit, apart from gaps and its late start. */
const mostlyHeld = 0.8;
/** A device that is idle for longer is limited by launches, under the median assumptions. */
const halfHeld = 0.5;
/**
 * Relative difference of another run from the recorded one beyond what replays tell: nine of ten of 148 recorded
 * programs' steps, timed without the profiler, lie in the interval with it. Fitted without one family, set or machine:
 * 0.032 to 0.043, and 87 to 90 % of those left out lie inside.
 */
const anotherRun = 0.04;
const mostChanges = 5;
const mostRemedies = 8;
/** Number of best sets that are always reported, however long the steps are. */
const fewestTold = 2;

/** Limit from which steps are simulated less often; the largest of 119 recorded pairs has 7,356 items. */
const largeItems = 8000;
const mostItems = 300_000;
/** Share of simulations for the search; the rest is for intervals of its results. */
const searchPart = 0.6;

/** Limit and count of simulations. Single changes, and the interval of one remedy, are always included. */
class Replays {
  readonly most: number;
  readonly #costs: CostModel;
  #count = 0;

  constructor({ steps }: Script, costs: CostModel) {
    const items = steps.reduce((sum, step) => sum + step.items.length, 0);
    this.most = items > largeItems ? Math.floor(mostItems / items) : Number.POSITIVE_INFINITY;
    this.#costs = costs;
  }

  stepNs(script: Script): number {
    this.#count += 1;
    return replay(script, this.#costs).stepNs;
  }

  hasFor(part: number): boolean {
    return this.#count < part * this.most;
  }
}

interface Other extends Required<Pick<Unknown, 'of' | 'isEnd'>> {
  readonly world: World;
}

export class Planner {
  readonly #input: PlanInput;
  readonly #replays: Replays;
  readonly #middle: World;
  readonly #others: readonly Other[];
  /** Simulated step as recorded, with the profiler's cost. */
  readonly replayedNs: number;

  constructor(input: PlanInput) {
    this.#input = input;
    const steady = { ...input, script: uninterrupted(input.script) };
    const scale = fittedScale(steady);
    this.#replays = new Replays(input.script, input.costs);
    this.replayedNs = replay(input.script, input.costs).stepNs;
    const { knownStepNs, recordedNs = [] } = input;
    const missing = missingNs(knownStepNs === undefined ? recordedNs : [knownStepNs], this.replayedNs);
    const bases = new Map<string, Base>();
    const world = (options: Partial<WorldOptions>): World => {
      const all = { ...middle, ...options };
      const key = `${all.profiler} ${all.pageable}`;
      const base = bases.get(key) ?? new Base(steady, this.#replays, all.profiler * scale, all.pageable, missing);
      bases.set(key, base);
      return new World(steady, base, all);
    };
    this.#middle = world({});
    const isStaged = input.script.steps.some(({ items }) => copiesOf(items).some(isPageable));
    const isOther = input.machine.standsIn !== undefined && !showsLink(input.script);
    const known = [...unknowns, ...(isOther ? otherLinks : [])].filter(
      ({ options }) => isStaged || options.pageable === undefined,
    );
    this.#others = known.map(({ options, of = changeWords, isEnd = false }) => ({ world: world(options), of, isEnd }));
  }

  /** A profiler only adds time, so the step without it is at most as long as recorded. */
  get unprofiledNs(): number {
    const { recordedNs = [], knownStepNs } = this.#input;
    const { baseNs } = this.#middle;
    return knownStepNs !== undefined || recordedNs.length === 0 ? baseNs : Math.min(baseNs, lowerMedian(recordedNs));
  }

  /** Returns the 90 % interval of the step without a profiler. */
  get unprofiledRange(): { readonly lowNs: number; readonly highNs: number } {
    const steps = this.#others.map(({ world }) => world.baseNs / this.#middle.baseNs);
    const [shorter, longer] = this.#apart;
    const { unprofiledNs } = this;
    const rest = this.#input.knownStepNs === undefined ? anotherRun : 0;
    return {
      lowNs: unprofiledNs * (1 - Math.hypot(rest, 1 - Math.min(1, ...steps) * shorter)),
      highNs: unprofiledNs * (1 + Math.hypot(rest, Math.max(1, ...steps) * longer - 1)),
    };
  }

  /** Shortest and longest step, relative to the typical one. */
  get #apart(): readonly [number, number] {
    const { recordedNs = [] } = this.#input;
    if (recordedNs.length < 2) return [1, 1];
    const { leastNs, mostNs } = spreadOf(recordedNs);
    const typicalNs = lowerMedian(recordedNs);
    return [Math.min(1, leastNs / typicalNs), Math.max(1, mostNs / typicalNs)];
  }

  /** Sentences on omissions in plans for very long steps, and on rates of another device. */
  get notes(): readonly string[] {
    const { most } = this.#replays;
    const { standsIn } = this.#input.machine;
    return [
      ...(most === Number.POSITIVE_INFINITY
        ? []
        : [`The plan simulates these steps about ${most} times at most: sets of changes beyond that are not tried.`]),
      ...(standsIn === undefined || showsLink(this.#input.script)
        ? []
        : [
            `Rates of page-locked memory are those of ${standsIn}: this device was not measured, and gains that depend on them have a wide interval.`,
          ]),
    ];
  }

  /** Returns the gain of changes under the median assumptions, before physical limits. */
  gainShare(changes: readonly ChangeWord[]): number {
    return this.#middle.gain(changeWords.filter((word) => changes.includes(word)));
  }

  /** Returns the gain of a given list of changes. */
  tried(changes: readonly ChangeWord[]): Remedy {
    return changes.includes('overlap-communication') ? this.#withCommunication(changes) : this.#simulated(changes);
  }

  /** Share of the step in exposed communication. */
  get communicationShare(): number {
    return Math.min(1, (this.#input.exposedCommunicationNs ?? 0) / this.#middle.baseNs);
  }

  /** Communication isn't simulated in detail: at best kernels overlap all of it, at worst none. */
  #withCommunication(changes: readonly ChangeWord[]): Remedy {
    const others = changes.filter((word) => word !== 'overlap-communication');
    const rest = this.#simulated(others);
    const { unprofiledNs } = this;
    // Overlapped communication no longer waits for all kernels.
    const leastNs = Math.max(this.#input.kernelsNs ?? 0, floorNs({ ...this.changed(others), inTurn: [] }));
    const floorShare = Math.min(1, leastNs / this.#middle.baseNs);
    const most = Math.max(rest.gainShare, 1 - floorShare);
    const gainShare = Math.min(most, rest.gainShare + this.communicationShare / 2);
    return {
      ...rest,
      changes,
      gainShare,
      highShare: Math.min(most, rest.highShare + this.communicationShare),
      stepNs: unprofiledNs * (1 - gainShare),
      floorNs: unprofiledNs * Math.min(floorShare, 1 - gainShare),
    };
  }

  #simulated(changes: readonly ChangeWord[]): Remedy {
    const gain = this.#middle.gain(changes);
    const relevant = this.#others.filter(({ of }) => changes.some((word) => of.includes(word)));
    const spread = relevant.map(({ world, isEnd }) => (world.gain(changes) - gain) / (isEnd ? deviations : 1));
    // The same saving is a different share of a shorter or longer step.
    const [shorter, longer] = this.#apart;
    const apart = { low: gain - gain / longer, high: gain / shorter - gain };
    const low = Math.hypot(apart.low, deviations * Math.hypot(noise, ...spread.filter((one) => one < 0)));
    const high = Math.hypot(apart.high, deviations * Math.hypot(noise, ...spread.filter((one) => one > 0)));
    const { unprofiledNs } = this;
    const { baseNs } = this.#middle;
    const worlds = [this.#middle, ...relevant.map(({ world }) => world)];
    const least = Math.min(...worlds.map((world) => world.floorNs(changes)));
    const floorShare = Math.min(1, Math.max(this.#input.kernelsNs ?? 0, least) / baseNs);
    const gainShare = Math.min(gain, 1 - floorShare);
    // If the step is longer than assumed, or the device faster, the device's time is a smaller share of it.
    const longest = Math.max(1, ...this.#others.map(({ world }) => world.baseNs / baseNs));
    const surelyShare = this.#input.kernelsNs === undefined ? (floorShare * (1 - noise)) / longest : floorShare;
    return {
      changes,
      gainShare,
      lowShare: Math.min(gainShare, this.#mayBeNeedless(changes) ? 0 : 1, gain - low),
      highShare: Math.max(gainShare, Math.min(1 - surelyShare, gain + high)),
      stepNs: unprofiledNs * (1 - gainShare),
      floorNs: unprofiledNs * floorShare,
      needed:
        changes.length === 1
          ? []
          : changes.filter((word) => this.#middle.gain([word]) < worthwhile && this.#isNeeded(word, changes)),
    };
  }

  /**
   * Returns whether changes include a graph although launches may not limit the step, within the uncertainty of the
   * profiler's cost. Waits leave the device idle in any case, if removing them is most of the gain.
   */
  #mayBeNeedless(changes: readonly ChangeWord[]): boolean {
    if (!changes.includes('graph')) return false;
    const waits = changes.filter((word) => word === 'remove-wait' || word === 'delay-wait');
    if (waits.length > 0 && this.#middle.gain(waits) >= this.#middle.gain(changes) / 2) return false;
    const holds = (world: World, part: number): boolean => world.floorNs([]) >= part * world.baseNs;
    return holds(this.#middle, halfHeld) && this.#others.some(({ world, isEnd }) => isEnd && holds(world, mostlyHeld));
  }

  /** Returns whether another of the changes gains only with this one. */
  #isNeeded(word: ChangeWord, changes: readonly ChangeWord[]): boolean {
    const adds = (other: ChangeWord, to: readonly ChangeWord[]): boolean =>
      this.#middle.gain(to) - this.#middle.gain(to.filter((one) => one !== other)) > worthwhile;
    const without = changes.filter((one) => one !== word);
    return without.some((other) => adds(other, changes) && !adds(other, without));
  }

  /** Returns the script with changes, without the profiler's cost, as it is simulated. */
  changed(changes: readonly ChangeWord[]): Script {
    return this.#middle.changed(changes);
  }

  /** Returns sets of changes that alter the program: single ones, and those that only work together. */
  offered(): readonly (readonly ChangeWord[])[] {
    return usableBundles(this.#usable);
  }

  get #usable(): readonly ChangeWord[] {
    return changeWords.filter((word) => isShownByTrace(this.#middle.script, word) && this.#middle.alters([word]));
  }

  plan(): Plan {
    const sets = new Map<string, readonly ChangeWord[]>();
    const usable = this.#usable;
    const keep = (words: readonly ChangeWord[]): void => {
      const ordered = changeWords.filter((word) => words.includes(word));
      const whole = this.#withNeeds(ordered, usable);
      sets.set(whole.join(), whole);
    };
    const bundles = usableBundles(usable);
    for (const bundle of bundles) keep(bundle);
    let best: readonly ChangeWord[] = [];
    for (;;) {
      const next = this.#bestNext(best, [...usable.map((word) => [word]), ...bundles]);
      if (next === null) break;
      best = next;
      keep(best);
    }
    const known = [...sets.values()].filter((changes) => this.#mayTry(changes));
    const gains = known.map((changes) => ({ changes, gain: this.#middle.gain(changes) }));
    const worth = gains
      .filter((one) => one.gain >= worthwhile / 2 && !gains.some((other) => isEnough(other, one)))
      .sort(byGain);
    const remedies: Remedy[] = [];
    for (const { changes } of worth.slice(0, mostRemedies)) {
      if (remedies.length < fewestTold || this.#replays.hasFor(1)) remedies.push(this.tried(changes));
    }
    if (this.communicationShare >= 2 * worthwhile) remedies.push(this.tried(['overlap-communication']));
    const told = remedies.filter(({ gainShare }) => gainShare >= leastTold);
    const isSure = ({ lowShare }: Remedy): boolean => lowShare > 0;
    return {
      unprofiledNs: this.unprofiledNs,
      remedies: [...told.filter(isSure), ...told.filter((remedy) => !isSure(remedy))],
    };
  }

  /** Returns into how many parts a step's launches fall with the changes, apart from a graph. */
  launchParts(changes: readonly ChangeWord[]): number {
    return launchParts(this.changed(changes.filter((word) => word !== 'graph')));
  }

  /** Adds to a graph what joins its parts: a program captures few graphs, and decides nothing on the host in between. */
  #withNeeds(changes: readonly ChangeWord[], usable: readonly ChangeWord[]): readonly ChangeWord[] {
    let whole = changes;
    while (whole.includes('graph') && whole.length < mostChanges) {
      const parts = this.launchParts(whole);
      const leastGain = this.#middle.gain(whole) - worthwhile;
      const best = joining
        .filter((word) => usable.includes(word) && !whole.includes(word))
        .map((word) => changeWords.filter((one) => one === word || whole.includes(one)))
        .map((words) => ({ words, parts: this.launchParts(words) }))
        .filter((one) => one.parts < parts && !excludes(one.words))
        .sort((a, b) => a.parts - b.parts)
        .find(({ words }) => this.#middle.gain(words) >= leastGain);
      if (best === undefined) break;
      whole = best.words;
    }
    return whole;
  }

  #mayTry(changes: readonly ChangeWord[]): boolean {
    return changes.length === 1 || this.#middle.knows(changes) || this.#replays.hasFor(searchPart);
  }

  #bestNext(best: readonly ChangeWord[], additions: readonly (readonly ChangeWord[])[]): readonly ChangeWord[] | null {
    const now = this.#middle.gain(best);
    let found: { changes: readonly ChangeWord[]; gain: number } | null = null;
    for (const addition of additions) {
      const changes = changeWords.filter((word) => best.includes(word) || addition.includes(word));
      if (changes.length === best.length || changes.length > mostChanges || excludes(changes)) continue;
      if (!this.#mayTry(changes)) continue;
      const gain = this.#middle.gain(changes);
      if (gain < now + worthwhile) continue;
      const isBetter = found === null || gain > found.gain + worthwhile / 4;
      const isSmaller = found !== null && gain > found.gain - worthwhile / 4 && changes.length < found.changes.length;
      if (isBetter || isSmaller) found = { changes, gain };
    }
    return found?.changes ?? null;
  }
}

/** Each further change has to add something worthwhile, or the set with fewer changes comes first. */
const byGain = (a: Gain, b: Gain): number => worthOf(b) - worthOf(a);

const worthOf = ({ gain, changes }: Gain): number => gain - leastTold * changes.length;

interface Gain {
  readonly changes: readonly ChangeWord[];
  readonly gain: number;
}

/** Returns whether a set gains with some of another's changes as much as the whole other set. */
const isEnough = (some: Gain, all: Gain): boolean =>
  some.changes.length < all.changes.length &&
  some.changes.every((word) => all.changes.includes(word)) &&
  some.gain > all.gain - worthwhile / 4;

/** Changes that only work together, in addition to single changes. */
const bundles: readonly (readonly ChangeWord[])[] = [
  ['pin', 'non-blocking'],
  ['pin', 'non-blocking', 'other-stream'],
  ['pin', 'non-blocking', 'other-stream', 'prefetch'],
  ['non-blocking', 'other-stream'],
  ['non-blocking', 'other-stream', 'prefetch'],
  ['other-stream', 'prefetch'],
  ['other-stream', 'both-directions'],
  ['pin', 'batch'],
  ['pin', 'non-blocking', 'batch'],
  ['pin', 'non-blocking', 'both-directions'],
  ['pin-each-step', 'non-blocking'],
];

/** Changes that take away what stands between launches. */
const joining: readonly ChangeWord[] = ['keep-on-device', 'move-to-device', 'keep-memory', 'remove-wait'];

const usableBundles = (usable: readonly ChangeWord[]): (readonly ChangeWord[])[] => [
  ...usable.map((word) => [word]),
  ...bundles.filter((bundle) => bundle.every((word) => usable.includes(word))),
];

const excludes = (changes: readonly ChangeWord[]): boolean =>
  (changes.includes('pin') && changes.includes('pin-each-step')) ||
  (changes.includes('remove-wait') && changes.includes('delay-wait'));

/** Standard deviations on each side of 90 % of a normal distribution; an unknown's ends are one deviation off. */
const deviations = 1.645;

/** Standard deviation, relative to the step, that nothing else explains; from 119 recorded pairs (bench/results). */
const noise = 0.06;

interface WorldOptions {
  readonly profiler: number;
  readonly link: number;
  readonly host: number;
  readonly gather: number;
  readonly pageable: number;
  /** Factor on the device time of operators that move to the device. */
  readonly moved: number;
  /** Factor on the rest of a copy if the device converts. */
  readonly smaller: number;
  /** Factor on the time to get a batch from another process. */
  readonly handover: number;
  readonly workers: number;
  /** Factor on the host's other time once it no longer allocates. */
  readonly warm: number;
  /** Whether the host waits for another thread in times without records. */
  readonly waits: boolean;
  /** Whether host work between a download and an upload stays where it is. */
  readonly stays: boolean;
  /** Share of Python's own work that still holds up the program if another thread does it. */
  readonly locked: number;
  /** Part of the time of pinning that remains if each batch goes into one page-locked buffer. */
  readonly refilled: number;
}

const middle: WorldOptions = {
  profiler: 1,
  link: 1,
  host: 1,
  gather: 0.5,
  pageable: 1,
  moved: 1,
  smaller: 1,
  handover: 1,
  workers: 8,
  warm: 1,
  waits: false,
  stays: false,
  locked: 0,
  refilled: 0,
};

interface Unknown {
  readonly options: Partial<WorldOptions>;
  /** Changes whose gain depends on it; all if omitted. */
  readonly of?: readonly ChangeWord[];
  /** Whether it is an end of the 90 % interval already, instead of one standard deviation. */
  readonly isEnd?: boolean;
}

/** Everything unknown from the trace, at its low and its high end. */
const unknowns: readonly Unknown[] = [
  // Beyond some point the device is the limit, so gains there don't follow from gains before it.
  { options: { profiler: 0.5 }, isEnd: true },
  { options: { profiler: 2 }, isEnd: true },
  // For the step alone: with 0.6 to 3.1 times the cost, 25 of 26 programs that the host limits take the measured time.
  { options: { profiler: 3 }, of: [], isEnd: true },
  { options: { link: 0.9 }, of: ['pin', 'pin-each-step', 'batch'] },
  { options: { link: 1.15 }, of: ['pin', 'pin-each-step', 'batch'] },
  { options: { host: 0.25 }, of: ['pin-each-step', 'batch'] },
  { options: { host: 2 }, of: ['pin-each-step', 'batch'] },
  // The driver's staging rate varies from one minute to the next on one machine.
  { options: { pageable: 0.8 } },
  { options: { pageable: 1.25 } },
  // The thread works, for example reads a file, or takes what another has prepared: then no work is left to move.
  { options: { waits: true }, of: ['other-thread', 'load-in-workers'] },
  // It needs what the download brought, and the device can't do it.
  { options: { stays: true }, of: ['other-thread', 'load-in-workers', 'move-to-device'], isEnd: true },
  // One thread at a time runs Python, and a new thread takes turns with the one that launches.
  { options: { locked: 0.5 }, of: ['other-thread'] },
  // Data that can't be made in page-locked memory is copied there, as now.
  { options: { refilled: 1 }, of: ['pin'], isEnd: true },
  // A device runs an operator 10 to 200 times as fast as one host thread.
  { options: { moved: 0.25 }, of: ['move-to-device', 'send-smaller'] },
  { options: { moved: 5 }, of: ['move-to-device', 'send-smaller'] },
  { options: { smaller: 0.5 }, of: ['send-smaller'] },
  { options: { smaller: 2 }, of: ['send-smaller'] },
  { options: { handover: 0.3 }, of: ['load-in-workers'] },
  { options: { handover: 6 }, of: ['load-in-workers'] },
  { options: { workers: 4 }, of: ['load-in-workers'] },
  // After a call that maps memory, the next calls find cold caches.
  { options: { warm: 0.5 }, of: ['keep-memory'] },
  { options: { gather: 0 }, of: ['batch'] },
  { options: { gather: 1 }, of: ['batch'] },
];

/** From the link between two chips of a board to PCIe 3.0 with eight lanes, relative to a copy on an H200. */
const otherLinks: readonly Unknown[] = [
  { options: { link: 0.3 }, of: ['pin', 'pin-each-step', 'batch'], isEnd: true },
  { options: { link: 8 }, of: ['pin', 'pin-each-step', 'batch'], isEnd: true },
];

/** The lifted program without changes, for which unknowns of the link or of host copies don't matter. */
class Base {
  readonly script: Script;
  /** Time of the step that no change removes, since nothing in the trace explains it. */
  readonly #missingNs: number;
  readonly #replays: Replays;
  #stepNs: number | null = null;

  constructor({ script, profiler }: PlanInput, replays: Replays, scale: number, pageable: number, missing: number) {
    this.script = staged(withoutProfiler(script, scaledCost(profiler, scale)), pageable);
    this.#missingNs = missing;
    this.#replays = replays;
  }

  get stepNs(): number {
    this.#stepNs ??= this.stepOf(this.script);
    return this.#stepNs;
  }

  stepOf(changed: Script): number {
    return this.#replays.stepNs(changed) + this.#missingNs;
  }
}

/** The lifted program under one set of assumptions. */
class World {
  readonly #base: Base;
  /** The base's script, which takes as long. */
  readonly #script: Script;
  readonly #assumed: Assumptions;
  readonly #steps = new Map<string, number>();

  constructor({ script, machine }: PlanInput, base: Base, options: WorldOptions) {
    const { link, host, gather, waits, stays, locked, refilled, moved, smaller, handover, workers, warm } = options;
    const assumed = assumptionsOf(script, machine);
    this.#base = base;
    this.#script = waits || stays ? withoutOwnWork(base.script, waits) : base.script;
    this.#assumed = {
      ...assumed,
      pinnedNs: (direction, bytes) => assumed.pinnedNs(direction, bytes) * link,
      hostCopyNs: (bytes) => assumed.hostCopyNs(bytes) * host,
      gatherPart: gather,
      movedPart: assumed.movedPart * moved,
      smallerPart: assumed.smallerPart * smaller,
      handoverNs: assumed.handoverNs * handover,
      workers,
      warmPart: warm,
      lockedPart: locked,
      refilledPart: refilled,
    };
  }

  get baseNs(): number {
    return this.#base.stepNs;
  }

  get script(): Script {
    return this.#script;
  }

  changed(changes: readonly ChangeWord[]): Script {
    return applyChanges(this.#script, changes, this.#assumed);
  }

  alters(changes: readonly ChangeWord[]): boolean {
    return alters(this.#script, this.changed(changes));
  }

  gain(changes: readonly ChangeWord[]): number {
    return changes.length === 0 ? 0 : 1 - this.#stepNs(changes) / this.baseNs;
  }

  knows(changes: readonly ChangeWord[]): boolean {
    return this.#steps.has(changes.join());
  }

  #stepNs(changes: readonly ChangeWord[]): number {
    const key = changes.join();
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    const changed = this.changed(changes);
    const stepNs = Math.max(this.#base.stepOf(changed), Math.min(floorNs(changed), this.baseNs));
    this.#steps.set(key, stepNs);
    return stepNs;
  }

  /** Returns the device's time for the step with the changes. */
  floorNs(changes: readonly ChangeWord[]): number {
    return floorNs(this.changed(changes));
  }
}

/** Returns the script without own work in times without records, or else between downloads and uploads. */
const withoutOwnWork = (script: Script, waits: boolean): Script =>
  mapItems(script, (items) => {
    const stays = new Set<Item>(waits ? [] : workOnResults(items));
    const isOther = (item: WorkItem): boolean => (waits ? item.mayWait === true : stays.has(item));
    return items.map((item) => (item.kind === 'work' && isOther(item) ? { ...item, isOwn: false } : item));
  });

/** Returns the script with `by` times the driver's staging time of pageable memory. */
const staged = (script: Script, by: number): Script =>
  by === 1 ? script : mapItems(script, (items) => items.map((item) => slower(item, by)));

const slower = (item: Item, by: number): Item =>
  item.kind === 'copy' && isPageable(item)
    ? { ...item, callNs: item.callNs * by, heldNs: item.heldNs * by, deviceNs: item.deviceNs * by }
    : item;

/** Returns the factor on the profiler's usual cost with which the program without it takes the known step. */
function fittedScale({ script, costs, profiler, knownStepNs }: PlanInput): number {
  if (knownStepNs === undefined) return hostRate(script, profiler);
  const stepAt = (scale: number): number => replay(withoutProfiler(script, scaledCost(profiler, scale)), costs).stepNs;
  let [low, high] = [0, 4];
  for (let round = 0; round < 8; round += 1) {
    const middle = (low + high) / 2;
    if (stepAt(middle) > knownStepNs) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
