import { describe, expect, it } from 'vitest';
import { Link, type LinkCopies, type LinkKernel } from '../../../core/simulator/link.ts';

class Copies implements LinkCopies {
  readonly linkIn: number;
  readonly linkOut: number;
  readonly isKernel = false;
  rate = 1;

  constructor(linkIn: number, linkOut: number) {
    this.linkIn = linkIn;
    this.linkOut = linkOut;
  }

  setLinkRate(rate: number): void {
    this.rate = rate;
  }
}

class Kernel implements LinkKernel {
  readonly linkIn: number;
  readonly linkOut: number;
  readonly isKernel = true;
  readonly places: number;
  readonly multiprocessors: number;
  readonly linkBytes: number;
  rate = 1;

  constructor(linkIn: number, linkOut: number, places: number, linkBytes = 1e9) {
    this.linkIn = linkIn;
    this.linkOut = linkOut;
    this.places = places;
    this.multiprocessors = places;
    this.linkBytes = linkBytes;
  }

  left = 40;

  leftNs(): number {
    return this.left;
  }

  setLinkRate(rate: number): void {
    this.rate = rate;
  }
}

type User = Copies | Kernel;

const rates = { h2dBytesPerSecond: 10e9, d2hBytesPerSecond: 10e9, bothBytesPerSecond: 20e9 };

function shared(link: Link, ...users: readonly User[]): number[] {
  for (const user of users) link.add(user);
  link.share(0);
  return users.map(({ rate }) => rate);
}

describe('the link', () => {
  it('leaves copies beside a kernel on mapped memory what the profile says, and the kernel the rest', () => {
    const users = [new Kernel(9, 0, 1), new Copies(10, 0), new Copies(0, 10)];
    expect(shared(new Link({ ...rates, besideMappedPart: 0.05 }), ...users).map((rate) => rate.toFixed(2))).toEqual([
      '1.00',
      '0.10',
      '0.10',
    ]);
    // The other way copies keep 1.8 times as much.
    const quarter = new Link({ ...rates, besideMappedPart: 0.25 });
    expect(shared(quarter, ...users).map((rate) => rate.toFixed(2))).toEqual(['0.83', '0.25', '0.45']);
    expect(shared(new Link({ ...rates, besideMappedPart: 0.25 }), new Kernel(9, 0, 1), new Copies(0, 10))).toEqual([
      1, 0.45,
    ]);
  });

  it('leaves copies more of it the fewer threads such a kernel has', () => {
    const link = new Link({ ...rates, besideMappedPart: 0.1 });
    expect(shared(link, new Kernel(10, 0, 1 / 9), new Copies(10, 0)).map((rate) => rate.toFixed(2))).toEqual([
      '0.50',
      '0.50',
    ]);
  });

  it('is passed in turns with kernels that ask for all they move at once, which copies the same way hold up most', () => {
    const beside = (kernel: Kernel, copy: Copies) =>
      shared(new Link({ ...rates, besideMappedPart: 0.1, mappedBacklogNs: 1000 }), kernel, copy);
    // 10 B a nanosecond for 1,000 ns, and 1.3 times that.
    expect(beside(new Kernel(6, 0, 1, 13_000), new Copies(10, 0))).toEqual([0.5, 0.6]);
    expect(beside(new Kernel(0, 6, 1, 13_000), new Copies(10, 0))).toEqual([0.9, 0.72]);
    expect(beside(new Kernel(6, 0, 1, 13_000), new Copies(0, 0))[0]).toBe(1);
    expect(beside(new Kernel(10, 0, 1, 13_001), new Copies(10, 0))).toEqual([0.9, 0.1]);
    // Half of the multiprocessors ask for half of it.
    expect(beside(new Kernel(10, 0, 0.5, 6500), new Copies(10, 0))).toEqual([0.5, 0.6]);
    expect(beside(new Kernel(10, 0, 0.5, 6501), new Copies(10, 0))[1]).toBeCloseTo(0.1 / 0.55);
  });

  it('is shared alike where the profile says nothing of it, and again once the kernel has ended', () => {
    const [kernel, copy] = [new Kernel(10, 0, 1), new Copies(10, 0)];
    expect(shared(new Link(rates), kernel, copy)).toEqual([0.5, 0.5]);
    const link = new Link({ ...rates, besideMappedPart: 0.25 });
    expect(shared(link, kernel, copy)).toEqual([0.75, 0.25]);
    link.remove(kernel);
    link.share(0);
    expect(copy.rate).toBe(1);
  });

  it('keeps what copies fetch waiting behind a kernel on mapped memory, by its multiprocessors and no longer than it lasts', () => {
    const backlogBeside = (...users: readonly User[]): number => {
      const link = new Link({ ...rates, besideMappedPart: 0.1, mappedBacklogNs: 100 });
      for (const user of users) link.add(user);
      return link.backlogNs(0, false);
    };
    expect(backlogBeside(new Copies(10, 0))).toBe(0);
    expect(backlogBeside(new Kernel(10, 0, 0.25))).toBeCloseTo(100 * 0.25 ** 0.9);
    // It moves half of what the link could.
    expect(backlogBeside(new Kernel(0, 5, 0.25))).toBeCloseTo(50 * 0.25 ** 0.9);
    expect(backlogBeside(new Kernel(10, 0, 0.25), new Kernel(10, 0, 1))).toBe(40);
  });

  it('lets copies from the device begin once a kernel that reads has asked for the last of it', () => {
    const backlog = (kernel: Kernel, outwards: boolean): number => {
      const link = new Link({ ...rates, besideMappedPart: 0.1, mappedBacklogNs: 5000 });
      kernel.left = 1500;
      link.add(kernel);
      return link.backlogNs(0, outwards);
    };
    expect(backlog(new Kernel(10, 0, 1), true)).toBe(300);
    expect(backlog(new Kernel(10, 0, 1), false)).toBe(1500);
    expect(backlog(new Kernel(0, 10, 1), true)).toBe(1500);
  });

  it('says what a copy takes longer that begins while data moves the other way', () => {
    const link = new Link({ ...rates, h2dBesideNs: 5, d2hBesideNs: 7 });
    expect([link.besideNs(true), link.besideNs(false)]).toEqual([0, 0]);
    link.add(new Copies(10, 0));
    expect([link.besideNs(true), link.besideNs(false)]).toEqual([7, 0]);
    // What a kernel on mapped memory holds up, its backlog says, where the profile has one.
    const beside = (more: object): number => {
      const besideKernel = new Link({ ...rates, h2dBesideNs: 5, d2hBesideNs: 7, ...more });
      besideKernel.add(new Kernel(10, 0, 1));
      return besideKernel.besideNs(true);
    };
    expect([beside({}), beside({ besideMappedPart: 0.1 })]).toEqual([7, 0]);
  });
});
