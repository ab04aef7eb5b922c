/**
 * The link between a device and the host. Rule (core/rules): directions-share-link. Fluid model: what moves over it
 * goes at a rate that changes only when something starts or ends, so the times are exact.
 */

interface Moving {
  /** Bytes in a nanosecond that it would move alone, to the device and from it; 0 where it moves none. */
  readonly linkIn: number;
  readonly linkOut: number;
  /** Goes on at this part of what it would do alone. */
  setLinkRate(rate: number, nowNs: number): void;
}

export interface LinkCopies extends Moving {
  readonly isKernel: false;
}

/** It works on mapped memory itself. */
export interface LinkKernel extends Moving {
  readonly isKernel: true;
  /** Its blocks have this part of the device's places, and it works on this part of the multiprocessors. */
  readonly places: number;
  readonly multiprocessors: number;
  /** All that it moves over the link, either way. */
  readonly linkBytes: number;
  /** How long it lasts if nothing changes. */
  leftNs(nowNs: number): number;
}

/** Moves data over the link: a copy engine, or a kernel that works on mapped memory. */
export type LinkUser = LinkCopies | LinkKernel;

export interface LinkRates {
  readonly h2dBytesPerSecond: number;
  readonly d2hBytesPerSecond: number;
  readonly bothBytesPerSecond: number;
  /** What a copy takes longer that begins while data moves the other way: to the device, and from it. */
  readonly h2dBesideNs?: number | undefined;
  readonly d2hBesideNs?: number | undefined;
  /** What copies at least keep of their speed beside a kernel on mapped memory that fills the device; left out, all share alike. */
  readonly besideMappedPart?: number | undefined;
  /** How long such a kernel's threads keep what is asked of host memory waiting behind what they have asked for. */
  readonly mappedBacklogNs?: number | undefined;
}

/**
 * A kernel that asks for all its mapped memory at once takes turns with copies, which then keep the first part of their speed,
 * and it the second. On H200 machines kernels that moved 0.5 to 4 MB lasted 1.9 to 2.3 times as long where a copy went the same
 * way and 1.0 to 1.3 times where it went the other; copies kept 0.55 to 0.67 and 0.55 to 1.0 (27 in recorded runs).
 */
const besideShort = { same: { copy: 0.6, kernel: 0.5 }, opposite: { copy: 0.72, kernel: 0.9 } };
const atOnce = 1.3;
/** Beside longer ones copies the same way kept 0.06 to 0.11 of their speed, and those the other way 0.10 to 0.28 (18). */
const oppositeTimes = 1.8;
/** From the last that a kernel asks for to its end: copies from the device began so much before kernels that read were over (4). */
const lastReadNs = 1200;
/** A backlog by the part of the multiprocessors: 87 to 132 us on all, 55 to 64 on half, 31 to 36 on a quarter. */
const backlogPower = 0.9;

/**
 * Those that together want no more than the link carries run as if alone; otherwise each gets the same part. Kernels on
 * mapped memory may come first: the many small requests of their threads leave copies hardly any of the link, and fewer
 * threads more of it. On an H200 a kernel on a quarter of the multiprocessors, so with an eighth of the threads, and a copy
 * the same way each kept half of their speed.
 */
export class Link {
  readonly #users: LinkUser[] = [];
  /** Those of them that come first. */
  readonly #first: LinkKernel[] = [];
  readonly #in: number;
  readonly #out: number;
  readonly #both: number;
  readonly #inBesideNs: number;
  readonly #outBesideNs: number;
  readonly #besideMappedPart: number | null;
  readonly #mappedBacklogNs: number;

  constructor(rates: LinkRates) {
    this.#in = rates.h2dBytesPerSecond / 1e9;
    this.#out = rates.d2hBytesPerSecond / 1e9;
    this.#both = rates.bothBytesPerSecond / 1e9;
    this.#inBesideNs = rates.h2dBesideNs ?? 0;
    this.#outBesideNs = rates.d2hBesideNs ?? 0;
    this.#besideMappedPart = rates.besideMappedPart ?? null;
    this.#mappedBacklogNs = rates.mappedBacklogNs ?? 0;
  }

  add(user: LinkUser): void {
    this.#users.push(user);
    if (user.isKernel && this.#besideMappedPart !== null) this.#first.push(user);
  }

  remove(user: LinkUser): void {
    const lists: readonly LinkUser[][] = [this.#users, this.#first];
    for (const users of lists) {
      const index = users.indexOf(user);
      if (index >= 0) users.splice(index, 1);
    }
  }

  /** What a copy that begins now takes longer because data moves the other way. */
  besideNs(outwards: boolean): number {
    for (const user of this.#users) {
      // A kernel that comes first holds copies up by what it has asked for.
      if (user.isKernel && this.#besideMappedPart !== null) continue;
      if ((outwards ? user.linkIn : user.linkOut) > 0) return outwards ? this.#outBesideNs : this.#inBesideNs;
    }
    return 0;
  }

  /**
   * How long what a copy engine fetches from host memory before a copy, or writes there behind it, waits for what kernels on
   * mapped memory have under way; no longer than these last. Beside kernels on all multiprocessors of an H200 a copy began 87
   * to 132 us after its call (nine recordings), on half of them 55 to 64 (five) and on a quarter 31 to 36 (four).
   */
  backlogNs(nowNs: number, outwards: boolean): number {
    let longestNs = 0;
    for (const kernel of this.#first) {
      const part = kernel.multiprocessors ** backlogPower * this.#takenBy(kernel);
      const leftNs = kernel.leftNs(nowNs) - (outwards && kernel.linkIn > 0 ? lastReadNs : 0);
      longestNs = Math.max(longestNs, Math.min(leftNs, part * this.#mappedBacklogNs));
    }
    return longestNs;
  }

  /** A kernel on mapped memory asks for all that it reads at once: the last of it comes behind what copies to the device ask for. */
  isReadAtOnce(kernel: LinkKernel): boolean {
    return this.#besideMappedPart !== null && kernel.linkIn > 0 && this.#asksAtOnce(kernel);
  }

  /** A copy engine reads host memory. */
  get isReadByCopies(): boolean {
    for (const { isKernel, linkIn } of this.#users) if (!isKernel && linkIn > 0) return true;
    return false;
  }

  share(nowNs: number): void {
    if (this.#first.length === 0) {
      this.#shareAlike(this.#users, nowNs);
      return;
    }
    const [kernel, another] = this.#first;
    if (kernel !== undefined && another === undefined && this.#asksAtOnce(kernel)) this.#takeTurns(kernel, nowNs);
    else this.#kernelsFirst(nowNs);
  }

  #takeTurns(kernel: LinkKernel, nowNs: number): void {
    const taken = this.#takenBy(kernel);
    let kernelPart = 1;
    for (const user of this.#users) {
      if (user.isKernel) continue;
      const beside = isSameWay(user, kernel) ? besideShort.same : besideShort.opposite;
      if (user.linkIn + user.linkOut > 0) kernelPart = Math.min(kernelPart, beside.kernel);
      user.setLinkRate(Math.max(beside.copy, 1 - taken), nowNs);
    }
    kernel.setLinkRate(kernelPart, nowNs);
  }

  #kernelsFirst(nowNs: number): void {
    const kept = this.#keptByCopies(1);
    const copies = (direction: 'linkIn' | 'linkOut'): boolean =>
      this.#users.some((user) => !user.isKernel && user[direction] > 0);
    this.#shareAlike(this.#first, nowNs, copies('linkIn') ? 1 - kept : 1, copies('linkOut') ? 1 - kept : 1);
    const taken = this.#first.reduce((most, kernel) => Math.max(most, this.#takenBy(kernel)), 0);
    for (const user of this.#users) {
      if (user.isKernel) continue;
      const isSame = this.#first.some((kernel) => isSameWay(user, kernel));
      user.setLinkRate(Math.max(isSame ? kept : this.#keptByCopies(oppositeTimes), 1 - taken), nowNs);
    }
  }

  /** The part of the link that it would have alone. */
  #takenBy({ linkIn, linkOut }: LinkKernel): number {
    return Math.max(linkIn / this.#in, linkOut / this.#out);
  }

  /** Requests of copies and of kernels' threads take turns. */
  #keptByCopies(times: number): number {
    const beside = Math.min(1, times * (this.#besideMappedPart ?? 1));
    const places = this.#first.reduce((sum, user) => sum + user.places, 0);
    return beside / (beside + (1 - beside) * Math.min(1, places));
  }

  /** Its threads ask for all of it before the first of it has come, or hardly later. */
  #asksAtOnce({ linkBytes, multiprocessors }: LinkKernel): boolean {
    return linkBytes <= atOnce * multiprocessors * this.#mappedBacklogNs * Math.max(this.#in, this.#out);
  }

  /** Of each direction they have `roomIn` and `roomOut` parts. */
  #shareAlike(users: readonly LinkUser[], nowNs: number, roomIn = 1, roomOut = 1): void {
    let [wantedIn, wantedOut, usersIn, usersOut] = [0, 0, 0, 0];
    for (const { linkIn, linkOut } of users) {
      wantedIn += linkIn;
      wantedOut += linkOut;
      if (linkIn > 0) usersIn += 1;
      if (linkOut > 0) usersOut += 1;
    }
    // One alone never wants more than there is: what it does alone was measured.
    const partIn = usersIn > 1 || roomIn < 1 ? Math.min(1, (roomIn * this.#in) / wantedIn) : 1;
    const partOut = usersOut > 1 || roomOut < 1 ? Math.min(1, (roomOut * this.#out) / wantedOut) : 1;
    const total = partIn * wantedIn + partOut * wantedOut;
    const both = usersIn > 0 && usersOut > 0 && total > this.#both ? this.#both / total : 1;
    for (const user of users) {
      const part = Math.min(user.linkIn > 0 ? partIn : 1, user.linkOut > 0 ? partOut : 1);
      user.setLinkRate(part * both, nowNs);
    }
  }
}

const isSameWay = (one: LinkUser, other: LinkUser): boolean =>
  (one.linkIn > 0 && other.linkIn > 0) || (one.linkOut > 0 && other.linkOut > 0);
