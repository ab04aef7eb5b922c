/** What a host thread's calls cost more, or less, after what it called and moved before: what of them lies in the caches. */
import type { Program } from '../program/program.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';

/** Which call they make is known once they are executed. */
const callsWithoutName: ReadonlySet<Step['code']> = new Set(['allocate', 'free', 'pinMemory', 'multiCopy']);

const isWait = ({ code }: Step): boolean =>
  code === 'synchronizeStream' || code === 'synchronizeEvent' || code === 'synchronizeDevice';

/** The driver launches a kernel for it, so it is another kind of call than other copies, under the same name. */
const withinDevice = 'copy within the device';

const kindOf = ({ code, call, src, dst }: Step): string =>
  code === 'copy' && src === 'device' && dst === 'device' ? withinDevice : call;

/** Whether the driver launches a kernel. */
const launches = ({ code }: Step, kind: string): boolean =>
  code === 'kernel' || code === 'memset' || kind === withinDevice;

/** A call that mostly copies memory. */
const isStaged = (route: Step['route']): boolean => route === 'stage-in' || route === 'stage-out';

/** Before an iteration begins the caches have been used for something else. */
export interface FirstCalls {
  /** How much later each thread begins. */
  readonly startNs: number;
  /** What each thread's first call costs more. */
  readonly ns: number;
  /** What its first call of each kind costs more, in parts of what it costs otherwise; and where the caches were left. */
  readonly newPart: number;
  readonly warmPart: number;
}

/** Bytes of host memory that push out of the caches what the next call needs. */
const coldBytes = ({ coldBytes }: DeviceProfile['calls'], { cached }: DeviceProfile['host']): number =>
  coldBytes ?? cached?.bytes ?? Number.POSITIVE_INFINITY;

/**
 * What a thread's first call in a further stream costs more, in parts of what the first of its kind does where the caches
 * were left: a copy over the link, and others. In 110 first launches of recorded runs it was 0 to 0.2 of a launch.
 */
const copyStreamPart = 0.4;
const streamPart = 0.12;
/**
 * What the first launch, memset or copy within the device costs more, in parts of what the first of another kind does,
 * where another of the three was before: in recorded runs of three machines 44 of them took 1.3 times as long as later ones,
 * and 10 where the caches had been emptied 1.8 times; 69 first launches with none before 2.0 and 3.6 times.
 */
const launchPart = 0.4;

/**
 * What the preparation of the buffers has pushed out of the caches near the cores: half of it where it took so long. What the
 * threads of the iteration before ran counts for little, and a multi-tensor copy before which nothing was prepared as much as
 * its part says.
 */
const emptiedNs = 2.5e6;
const lapPart = 0.06;
const multiPart = 0.42;

/**
 * A first call that runs little of the driver misses little of it. In recorded runs of five machines 20 waits for events took 0.5
 * to 4 us longer and 30 records 1 to 6, where first copies and launches took 6 to 50.
 */
const firstPart = ({ route, code, callNs }: Step, { launchNs }: DeviceProfile['calls']): number =>
  route === 'mark' || code === 'allocate' || code === 'free' ? Math.min(1, (2 * callNs) / launchNs) : 1;

/**
 * Of what a first call misses where all has been pushed out, the part that a thread misses before it: its first row began
 * 0.5 us into the iteration where nothing had been prepared, 2.4 after 1 to 2 ms and 3.4 after 8 and more (eight H200 machines).
 */
const startPart = 0.08;

/** `preparedNs`: how long the buffers were prepared for before the iteration; `lastedNs`: how long the one before took. */
export function firstCalls(
  program: Program,
  { calls }: DeviceProfile,
  preparedNs: number,
  lastedNs: number,
): FirstCalls {
  const { firstNs = 0, coldFirstNs = firstNs, newPart = 0, coldNewPart = newPart } = calls;
  const awayNs = preparedNs + lapPart * lastedNs;
  const coldPart = Math.max(program.multiCopies.length > 0 ? multiPart : 0, awayNs / (awayNs + emptiedNs));
  const startNs = startPart * coldPart * Math.max(0, coldFirstNs - firstNs);
  return {
    startNs,
    ns: firstNs + coldPart * Math.max(0, coldFirstNs - firstNs),
    newPart: newPart + coldPart * Math.max(0, coldNewPart - newPart),
    warmPart: newPart,
  };
}

/** Calls of one kind. */
interface Called {
  readonly streams: Set<Step['stream']>;
  /** What the thread had moved when the last of them began. */
  movedBytes: number;
}

export class CallHistory {
  /** Whether the latest call put into a stream what the one before it did, with no wait between them. */
  isInRow = false;
  /** CUDA calls that it has made, by kind; and whether one of them was to launch a kernel. */
  readonly #called = new Map<string, Called>();
  #hasLaunched = false;
  /** The last of them that put work into a stream; and the same while the thread has not waited since. */
  #issued = '';
  #inRow = '';
  /** Bytes of host memory that it has moved. */
  #movedBytes = 0;
  /** End of the last launch. */
  #launchedNs = Number.NEGATIVE_INFINITY;
  readonly #costs: DeviceProfile['calls'];
  readonly #first: FirstCalls;
  readonly #coldBytes: number;

  constructor({ calls, host }: DeviceProfile, first: FirstCalls) {
    this.#costs = calls;
    this.#first = first;
    this.#coldBytes = coldBytes(calls, host);
  }

  /** What the thread's next step costs more than its call's own cost; below 0 where it costs less. */
  moreNs(step: Step): number {
    return this.#missNs(step) + this.#otherNs(step);
  }

  /** A launch costs more when it is the first for some time: what it needs has left the host's caches. */
  launchNs(step: Step, nowNs: number): number {
    const costNs = nowNs - this.#launchedNs > this.#costs.launchWarmNs ? this.#costs.coldLaunchNs : step.callNs;
    this.#launchedNs = nowNs + costNs;
    return costNs;
  }

  /** What a call costs more where the driver's part of the caches is empty; nothing for what is no call. */
  #missNs(step: Step): number {
    const { code, call, route, bytes } = step;
    if (call === '' && !callsWithoutName.has(code)) {
      this.#movedBytes += bytes;
      return 0;
    }
    const isWaiting = isWait(step);
    // What waits, waits anyway: only one that finds nothing to wait for takes longer.
    if (isWaiting && this.#called.size === 0) return 0;
    const kind = kindOf(step);
    const called = this.#callsOf(kind);
    const newNs = this.#newNs(step, kind, called);
    if (isWaiting) return newNs;
    // What a call that copies memory pushes out by itself, its own time has already.
    const ownBytes = isStaged(route) || route === 'host' ? bytes : 0;
    const pushedOut = this.#movedBytes - called.movedBytes - ownBytes;
    called.movedBytes = this.#movedBytes;
    this.#movedBytes += ownBytes;
    return pushedOut > 0 ? Math.max(newNs, Math.min(1, pushedOut / this.#coldBytes) * this.#coldNs(step)) : newNs;
  }

  #callsOf(kind: string): Called {
    const known = this.#called.get(kind);
    if (known !== undefined) return known;
    const made: Called = { streams: new Set(), movedBytes: 0 };
    this.#called.set(kind, made);
    return made;
  }

  /**
   * A call that runs less of the driver misses less of it: in recorded runs an event record took 1 to 2 us more where a
   * launch took 7 to 14. Of a call that does other work as well, as much counts as of a launch.
   */
  #coldNs({ code, callNs, route }: Step): number {
    const { coldNs = 0, launchNs } = this.#costs;
    return isStaged(route) || route === 'host' || callsWithoutName.has(code) ? coldNs : (coldNs * callNs) / launchNs;
  }

  /**
   * A call that puts work into a stream as the one before it did finds more of what it runs in the caches. A copy within
   * the device is then no more than a launch. Of what a launch misses an event record misses as much as it is shorter: with all
   * of it 800 medians of recorded runs of fourteen H200 machines were 0.4 us too long in the middle.
   */
  #otherNs(step: Step): number {
    const { route, captured, code, callNs } = step;
    if (isWait(step)) this.#inRow = '';
    if (route === 'none' || captured || code === 'waitEvent') return 0;
    const kind = kindOf(step);
    this.isInRow = this.#inRow === kind;
    const isOther = this.#issued !== '' && this.#issued !== kind;
    this.#issued = kind;
    this.#inRow = kind;
    const { otherNs = 0, launchNs } = this.#costs;
    if (isOther) return isStaged(route) ? 0 : otherNs * (route === 'mark' ? callNs / launchNs : 1);
    return this.isInRow && kind === withinDevice ? Math.min(0, launchNs - callNs) : 0;
  }

  /** The first call, and the first of its kind, find nothing of what they run in the caches; nor of their stream. */
  #newNs(step: Step, kind: string, { streams }: Called): number {
    const { callNs, route, captured, stream } = step;
    if (streams.has(stream)) return 0;
    const isNewKind = streams.size === 0;
    const isFirst = isNewKind && this.#called.size === 1;
    streams.add(stream);
    const isLaunch = launches(step, kind);
    const hasLaunched = this.#hasLaunched;
    if (isLaunch) this.#hasLaunched = true;
    const { ns, newPart, warmPart } = this.#first;
    if (isFirst) return ns * firstPart(step, this.#costs);
    // What is captured is only written down.
    if (captured || isStaged(route)) return 0;
    if (isNewKind) return newPart * (isLaunch && hasLaunched ? launchPart : 1) * callNs;
    return warmPart * (route === 'engine' && !isLaunch ? copyStreamPart : streamPart) * callNs;
  }
}
