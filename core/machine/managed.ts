/**
 * Follows where the pages of managed memory lie, and prices their moves. An approximation: pages move at one rate
 * for each way, whatever their order and neighbours. Rule (core/rules): managed-pages.
 */
import type { ManagedAdvice } from '../program/instructions.ts';
import type { Program } from '../program/program.ts';
import type { CostModel, ManagedCost } from './costModel.ts';
import type { PageUse, Step } from './step.ts';

/** Pages up to `end`, and who has them: nobody before their first touch, both after a read of read-mostly memory. */
interface Pages {
  readonly end: number;
  readonly onHost: boolean;
  readonly onDevice: boolean;
}

interface Region {
  pages: readonly Pages[];
  isReadMostly: boolean;
  staysOnHost: boolean;
}

/** Bytes that had no pages, that moved, of which another side's copy ended, and that the device uses over the link. */
interface Met {
  readonly fresh: number;
  readonly moved: number;
  readonly split: number;
  readonly remote: number;
}

/** The pages of a program's managed memory. */
export class ManagedPages {
  readonly #regions: readonly (Region | null)[];

  constructor({ buffers }: Pick<Program, 'buffers'>) {
    this.#regions = buffers.map(({ memory, bytes, allocated }) =>
      memory === 'managed' ? newRegion(bytes, allocated === 'before-run') : null,
    );
  }

  advise(buffer: number, advice: ManagedAdvice): void {
    const region = this.#regions[buffer];
    if (!region) return;
    if (advice === 'read-mostly') region.isReadMostly = true;
    else region.staysOnHost = advice !== 'preferred-device';
  }

  /** Begins a buffer that an operation allocates: none of its pages exists. */
  allocate(buffer: number): void {
    const region = this.#regions[buffer];
    if (region) Object.assign(region, newRegion(region.pages.at(-1)?.end ?? 0, false));
  }

  /** Lets the device or the host use pages. A prefetch moves them in any case. */
  use({ buffer, offset, bytes, writes }: PageUse, byDevice: boolean, isPrefetch = false): Met {
    let [fresh, moved, split, remote, from] = [0, 0, 0, 0, 0];
    const region = this.#regions[buffer];
    if (!region) return { fresh, moved, split, remote };
    const after: Pages[] = [];
    for (const pages of region.pages) {
      const [start, end] = [Math.max(from, offset), Math.min(pages.end, offset + bytes)];
      from = pages.end;
      const size = end - start;
      if (size <= 0) {
        after.push(pages);
        continue;
      }
      const [isHere, isThere] = byDevice ? [pages.onDevice, pages.onHost] : [pages.onHost, pages.onDevice];
      const isRemote = isThere && !isHere && byDevice && !isPrefetch && region.staysOnHost;
      if (isRemote) remote += size;
      else if (isThere && !isHere) moved += size;
      else if (!isHere) fresh += size;
      else if (isThere && writes) split += size;
      const isKept = isRemote || (isThere && region.isReadMostly && !writes);
      const [onDevice, onHost] = byDevice ? [!isRemote, isKept] : [isKept, true];
      after.push({ ...pages, end: start }, { onDevice, onHost, end }, pages);
    }
    region.pages = merged(after);
    return { fresh, moved, split, remote };
  }
}

const newRegion = (end: number, onHost: boolean): Region => ({
  pages: [{ end, onHost, onDevice: false }],
  isReadMostly: false,
  staysOnHost: false,
});

/** Joins neighbours that lie in the same place, and drops empty ones. */
function merged(list: readonly Pages[]): readonly Pages[] {
  const found: Pages[] = [];
  for (const pages of list) {
    const last = found.at(-1);
    if (pages.end <= (last?.end ?? 0)) continue;
    if (last?.onHost === pages.onHost && last.onDevice === pages.onDevice) found.pop();
    found.push(pages);
  }
  return found;
}

/** Adds what pages cost to the steps of a simulation. */
export class ManagedMemory {
  readonly pages: ManagedPages;
  readonly #costs: CostModel;
  readonly #sizes: readonly number[];

  constructor(program: Program, costs: CostModel) {
    this.#costs = costs;
    this.#sizes = program.buffers.map(({ bytes }) => bytes);
    this.pages = new ManagedPages(program);
  }

  /** Returns the step of work that begins on the device now, with what its pages add. */
  onDevice(step: Step): Step {
    if (step.code === 'prefetch') return this.#prefetch(step);
    let [waitNs, linkIn, linkOut] = [0, step.linkIn, step.linkOut];
    for (const use of step.pages) {
      const { fresh, moved, split, remote } = this.pages.use(use, true);
      waitNs += this.#ns(fresh, 'touchBytesPerSecond') + this.#ns(moved, 'inBytesPerSecond');
      waitNs += this.#ns(split, 'splitOnDeviceBytesPerSecond');
      if (use.writes) linkOut += remote;
      else linkIn += remote;
    }
    const remoteNs = (Math.max(linkIn, linkOut) / this.#costs.mappedBytesPerSecond) * 1e9;
    const deviceNs = Math.max(step.deviceNs, remoteNs) + waitNs;
    if (deviceNs === step.deviceNs) return step;
    return { ...step, deviceNs, linkIn, linkOut, memoryPart: (step.memoryPart * step.deviceNs) / deviceNs };
  }

  /** Returns a prefetch into an idle stream: the driver does its work, and to the host all of it, within the call. */
  atOnce(step: Step): Step {
    const begun = this.#prefetch(step);
    const isOut = step.src === 'device';
    const heldNs = isOut ? begun.deviceNs : this.#ns(begun.linkIn, 'prefetchCallBytesPerSecond');
    return { ...begun, pages: [], callNs: step.callNs + heldNs };
  }

  /** Returns the time that pages add to an access of the host. */
  hostNs({ pages }: Step): number {
    return pages.reduce((sum, one) => {
      const { fresh, moved, split } = this.pages.use(one, false);
      const touchNs = this.#ns(fresh, 'hostTouchBytesPerSecond') + this.#ns(moved, 'outBytesPerSecond');
      return sum + touchNs + this.#ns(split, 'splitOnHostBytesPerSecond');
    }, 0);
  }

  /** Returns the time of the call. */
  advise({ buffer, name, callNs }: Step): number {
    this.pages.advise(buffer, name as ManagedAdvice);
    return callNs + this.#ns(this.#sizes[buffer] ?? 0, 'adviseBytesPerSecond');
  }

  #prefetch(step: Step): Step {
    const isOut = step.src === 'device';
    const moved = step.pages.reduce((sum, use) => sum + this.pages.use(use, !isOut, true).moved, 0);
    const movingNs = this.#ns(moved, isOut ? 'prefetchOutBytesPerSecond' : 'prefetchInBytesPerSecond');
    return { ...step, deviceNs: step.deviceNs + movingNs, linkIn: isOut ? 0 : moved, linkOut: isOut ? moved : 0 };
  }

  #ns(bytes: number, rate: ManagedCost): number {
    return bytes === 0 ? 0 : (bytes / this.#costs.managed(rate)) * 1e9;
  }
}
