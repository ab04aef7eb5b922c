/**
 * The link between a device and the host. Rule (core/rules): directions-share-link. Fluid model: rates change only when
 * a transfer starts or ends, so the times are exact.
 */
import type { LinkRates } from './costModel.ts';

interface Moving {
  /** Bytes per nanosecond that it would move alone, to the device and from it; 0 if it moves none. */
  readonly linkIn: number;
  readonly linkOut: number;
  /** Sets the share of its rate alone at which it continues. */
  setLinkRate(rate: number, nowNs: number): void;
}

export interface LinkCopies extends Moving {
  readonly isKernel: false;
}

/** A kernel that works on mapped memory. */
export interface LinkKernel extends Moving {
  readonly isKernel: true;
  /** Shares of the device's places that its blocks take, and of the multiprocessors that it uses. */
  readonly places: number;
  readonly multiprocessors: number;
  /** Returns its remaining time if nothing changes. */
  leftNs(nowNs: number): number;
}

/** Moves data over the link: a copy engine, or a kernel that works on mapped memory. */
export type LinkUser = LinkCopies | LinkKernel;

/**
 * Transfers run as if alone if the link can carry all of them; otherwise each gets the same share. Kernels on mapped
 * memory come first: the many small requests of their threads leave copies hardly any of the link, and with fewer
 * threads more. On an H200, a kernel on a quarter of the multiprocessors (an eighth of the threads) and a copy in the
 * same direction each kept half of their speed.
 */
export class Link {
  readonly #users: LinkUser[] = [];
  /** Kernels on mapped memory, which come first. */
  readonly #first: LinkKernel[] = [];
  readonly #oneWay: number;
  readonly #both: number;
  readonly #besideNs: number;
  readonly #besideMappedPart: number | null;
  readonly #mappedBacklogNs: number;

  constructor(rates: LinkRates) {
    this.#oneWay = rates.bytesPerSecond / 1e9;
    this.#both = rates.bothBytesPerSecond / 1e9;
    this.#besideNs = rates.besideNs;
    this.#besideMappedPart = rates.besideMappedPart;
    this.#mappedBacklogNs = rates.mappedBacklogNs;
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

  /** Returns the extra time of a copy that begins while another copy moves data in the other direction. */
  besideNs(outwards: boolean): number {
    for (const user of this.#users) {
      if (!user.isKernel && (outwards ? user.linkIn : user.linkOut) > 0) return this.#besideNs;
    }
    return 0;
  }

  /**
   * Returns how long a copy that begins now waits for requests of kernels on mapped memory, at most as long as these
   * run. On an H200 a copy began 87 to 132 us after its call with such kernels on all multiprocessors, 55 to 64 us with
   * half of them and 31 to 36 us with a quarter.
   */
  backlogNs(nowNs: number): number {
    let longestNs = 0;
    for (const kernel of this.#first) {
      const part = (kernel.multiprocessors * Math.max(kernel.linkIn, kernel.linkOut)) / this.#oneWay;
      longestNs = Math.max(longestNs, Math.min(kernel.leftNs(nowNs), part * this.#mappedBacklogNs));
    }
    return longestNs;
  }

  share(nowNs: number): void {
    if (this.#first.length === 0) this.#shareAlike(this.#users, nowNs);
    else this.#kernelsFirst(nowNs);
  }

  #kernelsFirst(nowNs: number): void {
    const kept = this.#keptByCopies();
    const copies = (direction: 'linkIn' | 'linkOut'): boolean =>
      this.#users.some((user) => !user.isKernel && user[direction] > 0);
    this.#shareAlike(this.#first, nowNs, copies('linkIn') ? 1 - kept : 1, copies('linkOut') ? 1 - kept : 1);
    const taken = this.#first.reduce((most, { linkIn, linkOut }) => Math.max(most, linkIn, linkOut), 0) / this.#oneWay;
    for (const user of this.#users) if (!user.isKernel) user.setLinkRate(Math.max(kept, 1 - taken), nowNs);
  }

  /** Requests of copies and of kernels' threads take turns. */
  #keptByCopies(): number {
    const beside = this.#besideMappedPart ?? 1;
    const places = this.#first.reduce((sum, user) => sum + user.places, 0);
    return beside / (beside + (1 - beside) * Math.min(1, places));
  }

  /** `roomIn` and `roomOut`: shares of each direction that are available. */
  #shareAlike(users: readonly LinkUser[], nowNs: number, roomIn = 1, roomOut = 1): void {
    let [wantedIn, wantedOut, usersIn, usersOut] = [0, 0, 0, 0];
    for (const { linkIn, linkOut } of users) {
      wantedIn += linkIn;
      wantedOut += linkOut;
      if (linkIn > 0) usersIn += 1;
      if (linkOut > 0) usersOut += 1;
    }
    // A single transfer never exceeds the link: its rate alone was measured.
    const partIn = usersIn > 1 || roomIn < 1 ? Math.min(1, (roomIn * this.#oneWay) / wantedIn) : 1;
    const partOut = usersOut > 1 || roomOut < 1 ? Math.min(1, (roomOut * this.#oneWay) / wantedOut) : 1;
    const total = partIn * wantedIn + partOut * wantedOut;
    const both = usersIn > 0 && usersOut > 0 && total > this.#both ? this.#both / total : 1;
    for (const user of users) {
      const part = Math.min(user.linkIn > 0 ? partIn : 1, user.linkOut > 0 ? partOut : 1);
      user.setLinkRate(part * both, nowNs);
    }
  }
}
