/**
 * What changes to a recorded program gain on its step: each set of changes is applied to the lifted program and simulated
 * with the trace's own costs. Sets are built greedily: the best so far, and one change more.
 */
import type { CostModel } from '../machine/costModel.ts';
import { lowerMedian } from '../statistics.ts';
import { type Assumptions, assumptionsOf, type KnownMachine, showsLink } from './assumptions.ts';
import { spreadOf } from './caution.ts';
import { alters, applyChanges, isShownByTrace } from './changes/apply.ts';
import { type ChangeWord, changeWords } from './changes/words.ts';
import { floorNs } from './floor.ts';
import { hostRate, type ProfilerCost, scaledCost, uninterrupted, withoutProfiler } from './profilerCost.ts';
import { replay } from './replay.ts';
import { copiesOf, type Item, isPageable, mapItems, type Script } from './script.ts';

export interface Remedy {
  readonly changes: readonly ChangeWord[];
  /** Share of the unprofiled step that is saved, and its 90 % interval. Negative if the step gets longer. */
  readonly gainShare: number;
  readonly lowShare: number;
  readonly highShare: number;
  /** Unprofiled step with the changes. */
  readonly stepNs: number;
  /** Time that the device needs for the rest: no prediction is below it. */
  readonly floorNs: number;
  /** Changes that gain nothing by themselves but are needed by the others. */
  readonly needed: readonly ChangeWord[];
}

export interface Plan {
  /** The step without a profiler as it is, in nanoseconds, and its 90 % interval. */
  readonly unprofiledNs: number;
  readonly remedies: readonly Remedy[];
}

export interface PlanInput {
  /** As recorded, with the profiler's cost in it. */
  readonly script: Script;
  /** For what the trace doesn't show. */
  readonly costs: CostModel;
  readonly machine: KnownMachine;
  readonly profiler: ProfilerCost;
  /** Steps as they were recorded; none is known where left out. */
  readonly recordedNs?: readonly number[];
  /** Of a typical one the time in which kernels kept a device busy, where that is nearly all of it: no change takes them away. */
  readonly kernelsNs?: number;
  /** An unprofiled step that the person knows, in nanoseconds: the profiler's cost is scaled to fit it. */
  readonly knownStepNs?: number | undefined;
  /** Time of a recorded step in communication that no kernel runs beside, in nanoseconds; 0 if left out. */
  readonly exposedCommunicationNs?: number | undefined;
}

/** A change that gains less than this part of the step is not added to a plan. */
const worthwhile = 0.01;
/** And what gains less than this in all is not told. */
const leastTold = 0.02;
/** A device whose kernels take this part of the step may hold it: there are gaps between them, and it starts late. */
const mostlyHeld = 0.8;
/** A device that is idle for longer than this is bound by launches, as far as the middle of all assumptions goes. */
const halfHeld = 0.5;
const mostChanges = 5;
const mostRemedies = 8;
/** Of the best so many are told, however long the steps. */
const fewestTold = 2;

/** Steps with more items than the largest of 119 recorded pairs have (7,356) are simulated less often: a plan takes seconds. */
const largeItems = 8000;
const mostItems = 300_000;
/** The search takes this part, and leaves the rest for the intervals of what it finds. */
const searchPart = 0.6;

/** How often a plan may simulate the steps, and has. Changes one by one, and one remedy's interval, are there in any case. */
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
  #replayedNs: number | null = null;

  constructor(input: PlanInput) {
    this.#input = input;
    const steady = { ...input, script: uninterrupted(input.script) };
    const scale = fittedScale(steady);
    this.#replays = new Replays(input.script, input.costs);
    const bases = new Map<string, Base>();
    const world = (options: Partial<WorldOptions>): World => {
      const all = { ...middle, ...options };
      const key = `${all.profiler} ${all.pageable}`;
      const base = bases.get(key) ?? new Base(steady, this.#replays, all.profiler * scale, all.pageable);
      bases.set(key, base);
      return new World(steady, this.#replays, base, all);
    };
    this.#middle = world({});
    const isStaged = input.script.steps.some(({ items }) => copiesOf(items).some(isPageable));
    const isOther = input.machine.standsIn !== undefined && !showsLink(input.script);
    const known = [...unknowns, ...(isOther ? otherLinks : [])].filter(
      ({ options }) => isStaged || options.pageable === undefined,
    );
    this.#others = known.map(({ options, of = changeWords, isEnd = false }) => ({ world: world(options), of, isEnd }));
  }

  /** A profiler only adds: the step without it is not taken to be longer than it was recorded. */
  get unprofiledNs(): number {
    const { recordedNs = [], knownStepNs } = this.#input;
    const { baseNs } = this.#middle;
    return knownStepNs !== undefined || recordedNs.length === 0 ? baseNs : Math.min(baseNs, lowerMedian(recordedNs));
  }

  /** The 90 % interval of the step without a profiler. */
  get unprofiledRange(): { readonly lowNs: number; readonly highNs: number } {
    const steps = this.#others.map(({ world }) => world.baseNs / this.#middle.baseNs);
    const [shorter, longer] = this.#apart;
    const { unprofiledNs } = this;
    return {
      lowNs: unprofiledNs * Math.min(1, ...steps) * shorter,
      highNs: unprofiledNs * Math.max(1, ...steps) * longer,
    };
  }

  /** The shortest and the longest step, as parts of the typical one. */
  get #apart(): readonly [number, number] {
    const { recordedNs = [] } = this.#input;
    if (recordedNs.length < 2) return [1, 1];
    const { leastNs, mostNs } = spreadOf(recordedNs);
    const typicalNs = lowerMedian(recordedNs);
    return [Math.min(1, leastNs / typicalNs), Math.max(1, mostNs / typicalNs)];
  }

  /** The step as recorded, with the profiler's cost, as it is simulated. */
  get replayedNs(): number {
    this.#replayedNs ??= replay(this.#input.script, this.#input.costs).stepNs;
    return this.#replayedNs;
  }

  /** Sentences on what is left out of plans for very long steps, and on rates of another device. */
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

  /** What changes gain by the middle of all assumptions, before physics bounds it. */
  gainShare(changes: readonly ChangeWord[]): number {
    return this.#middle.gain(changeWords.filter((word) => changes.includes(word)));
  }

  /** What a given list of changes gains. */
  tried(changes: readonly ChangeWord[]): Remedy {
    return changes.includes('overlap-communication') ? this.#withCommunication(changes) : this.#simulated(changes);
  }

  /** Part of the step in communication that no kernel runs beside. */
  get communicationShare(): number {
    return Math.min(1, (this.#input.exposedCommunicationNs ?? 0) / this.#middle.baseNs);
  }

  /** Communication is not simulated in detail: at best all of it runs beside kernels, at worst none does. */
  #withCommunication(changes: readonly ChangeWord[]): Remedy {
    const others = changes.filter((word) => word !== 'overlap-communication');
    const rest = this.#simulated(others);
    const { unprofiledNs } = this;
    // Beside kernels it no longer waits for all of them.
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
    // What a change takes off is another part of a step that is shorter or longer.
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
    // As much as the step may be longer than it is told, and the device faster, what that needs is a smaller part of it.
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
          : changes.filter((word) => this.#middle.gain([word]) < worthwhile && this.#isNeeded(word, changes, gain)),
    };
  }

  /**
   * Whether changes have a graph, and launches may not bind the step at all, as far as the profiler's cost is known. Waits
   * leave the device idle in any case.
   */
  #mayBeNeedless(changes: readonly ChangeWord[]): boolean {
    if (!changes.includes('graph') || changes.includes('remove-wait') || changes.includes('delay-wait')) return false;
    const holds = (world: World, part: number): boolean => world.floorNs([]) >= part * world.baseNs;
    return holds(this.#middle, halfHeld) && this.#others.some(({ world, isEnd }) => isEnd && holds(world, mostlyHeld));
  }

  #isNeeded(word: ChangeWord, changes: readonly ChangeWord[], gain: number): boolean {
    return gain - this.#middle.gain(changes.filter((one) => one !== word)) > worthwhile;
  }

  /** The script with changes, without the profiler's cost, as it is simulated. */
  changed(changes: readonly ChangeWord[]): Script {
    return this.#middle.changed(changes);
  }

  /** Sets of changes that alter the program: each by itself, and those that only work together. */
  offered(): readonly (readonly ChangeWord[])[] {
    return usableBundles(this.#usable);
  }

  get #usable(): readonly ChangeWord[] {
    return changeWords.filter((word) => isShownByTrace(this.#middle.script, word) && this.#middle.alters([word]));
  }

  plan(): Plan {
    const sets = new Map<string, readonly ChangeWord[]>();
    const keep = (words: readonly ChangeWord[]): void => {
      const ordered = changeWords.filter((word) => words.includes(word));
      sets.set(ordered.join(), ordered);
    };
    const usable = this.#usable;
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

/** Of gains alike the one that changes less is told first. */
function byGain(a: Gain, b: Gain): number {
  return Math.abs(a.gain - b.gain) < worthwhile / 4 ? a.changes.length - b.changes.length : b.gain - a.gain;
}

interface Gain {
  readonly changes: readonly ChangeWord[];
  readonly gain: number;
}

/** Whether a set gains with some of another's changes as much as that one does. */
const isEnough = (some: Gain, all: Gain): boolean =>
  some.changes.length < all.changes.length &&
  some.changes.every((word) => all.changes.includes(word)) &&
  some.gain > all.gain - worthwhile / 4;

/** Changes that only work together, beside each by itself. */
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

const usableBundles = (usable: readonly ChangeWord[]): (readonly ChangeWord[])[] => [
  ...usable.map((word) => [word]),
  ...bundles.filter((bundle) => bundle.every((word) => usable.includes(word))),
];

const excludes = (changes: readonly ChangeWord[]): boolean =>
  (changes.includes('pin') && changes.includes('pin-each-step')) ||
  (changes.includes('remove-wait') && changes.includes('delay-wait'));

/** Standard deviations on each side that hold 90 % of a normal distribution; what isn't known is off by one at its ends. */
const deviations = 1.645;

/**
 * What no other unknown explains, as a part of the step: one standard deviation, chosen with 119 recorded pairs in sight
 * (bench/results).
 */
const noise = 0.06;

interface WorldOptions {
  readonly profiler: number;
  readonly link: number;
  readonly host: number;
  readonly gather: number;
  readonly pageable: number;
  /** Times what operators that move to the device are taken to need there. */
  readonly moved: number;
  /** Times the part of a copy that is left if the device converts. */
  readonly smaller: number;
  /** Times what getting a batch from another process is taken to need. */
  readonly handover: number;
  readonly workers: number;
  /** Times what the host is taken to need for the rest once it no longer allocates. */
  readonly warm: number;
  /** Whether the host waits for another thread where nothing was recorded of it. */
  readonly waits: boolean;
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
};

interface Unknown {
  readonly options: Partial<WorldOptions>;
  /** The changes whose gain depends on it; all if left out. */
  readonly of?: readonly ChangeWord[];
  /** Whether it is an end of the 90 % interval already, and not one standard deviation. */
  readonly isEnd?: boolean;
}

/** Each thing that the trace doesn't tell, at its low and its high end. */
const unknowns: readonly Unknown[] = [
  // Beyond some point the device holds the step: what a change gains there doesn't follow from what it gains before.
  { options: { profiler: 0.5 }, isEnd: true },
  { options: { profiler: 2 }, isEnd: true },
  { options: { link: 0.9 }, of: ['pin', 'pin-each-step', 'batch'] },
  { options: { link: 1.15 }, of: ['pin', 'pin-each-step', 'batch'] },
  { options: { host: 0.25 }, of: ['pin-each-step', 'batch'] },
  { options: { host: 2 }, of: ['pin-each-step', 'batch'] },
  // How fast the driver stages differs from one minute to the next on one machine.
  { options: { pageable: 0.8 } },
  { options: { pageable: 1.25 } },
  // It works, as it reads a file, or takes what another thread has made ready: then there is nothing left to move to one.
  { options: { waits: true }, of: ['other-thread', 'load-in-workers'] },
  // A device does an operator 10 to 200 times as fast as one thread of the host.
  { options: { moved: 0.25 }, of: ['move-to-device', 'send-smaller'] },
  { options: { moved: 5 }, of: ['move-to-device', 'send-smaller'] },
  { options: { smaller: 0.5 }, of: ['send-smaller'] },
  { options: { smaller: 2 }, of: ['send-smaller'] },
  { options: { handover: 0.3 }, of: ['load-in-workers'] },
  { options: { handover: 6 }, of: ['load-in-workers'] },
  { options: { workers: 4 }, of: ['load-in-workers'] },
  // After a call that maps memory, the next ones find caches cold.
  { options: { warm: 0.5 }, of: ['keep-memory'] },
  { options: { gather: 0 }, of: ['batch'] },
  { options: { gather: 1 }, of: ['batch'] },
];

/** From the link between two chips of a board to PCIe 3.0 with eight lanes, in times of what a copy takes on an H200. */
const otherLinks: readonly Unknown[] = [
  { options: { link: 0.3 }, of: ['pin', 'pin-each-step', 'batch'], isEnd: true },
  { options: { link: 8 }, of: ['pin', 'pin-each-step', 'batch'], isEnd: true },
];

/** The lifted program without changes: what isn't known of the link or of copies on the host does not concern it. */
class Base {
  readonly script: Script;
  readonly #replays: Replays;
  #stepNs: number | null = null;

  constructor({ script, profiler }: PlanInput, replays: Replays, scale: number, pageable: number) {
    this.script = staged(withoutProfiler(script, scaledCost(profiler, scale)), pageable);
    this.#replays = replays;
  }

  get stepNs(): number {
    this.#stepNs ??= this.#replays.stepNs(this.script);
    return this.#stepNs;
  }
}

/** The lifted program under one set of assumptions. */
class World {
  readonly #base: Base;
  /** The base's, which takes as long. */
  readonly #script: Script;
  readonly #assumed: Assumptions;
  readonly #replays: Replays;
  readonly #steps = new Map<string, number>();

  constructor({ script, machine }: PlanInput, replays: Replays, base: Base, options: WorldOptions) {
    const { link, host, gather, waits, moved, smaller, handover, workers, warm } = options;
    const assumed = assumptionsOf(script, machine);
    this.#base = base;
    this.#script = waits ? waiting(base.script) : base.script;
    this.#replays = replays;
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
    const stepNs = Math.max(this.#replays.stepNs(changed), Math.min(floorNs(changed), this.baseNs));
    this.#steps.set(key, stepNs);
    return stepNs;
  }

  /** What the device needs for the step with the changes. */
  floorNs(changes: readonly ChangeWord[]): number {
    return floorNs(this.changed(changes));
  }
}

/** The script where the host has nothing of its own to do while nothing is recorded of it. */
const waiting = (script: Script): Script =>
  mapItems(script, (items) =>
    items.map((item) => (item.kind === 'work' && item.mayWait === true ? { ...item, isOwn: false } : item)),
  );

/** The script where the driver takes `by` times as long to stage pageable memory. */
const staged = (script: Script, by: number): Script =>
  by === 1 ? script : mapItems(script, (items) => items.map((item) => slower(item, by)));

const slower = (item: Item, by: number): Item =>
  item.kind === 'copy' && isPageable(item)
    ? { ...item, callNs: item.callNs * by, heldNs: item.heldNs * by, deviceNs: item.deviceNs * by }
    : item;

/** How many times the profiler's usual cost it had, so that the program without it takes the step that is known. */
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
