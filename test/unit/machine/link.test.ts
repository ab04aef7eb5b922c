import { describe, expect, it } from 'vitest';
import type { LinkRates } from '../../../core/machine/costModel.ts';
import { Link, type LinkCopies, type LinkKernel } from '../../../core/machine/link.ts';

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
  rate = 1;

  constructor(linkIn: number, linkOut: number, places: number) {
    this.linkIn = linkIn;
    this.linkOut = linkOut;
    this.places = places;
    this.multiprocessors = places;
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

const rates: LinkRates = {
  bytesPerSecond: 10e9,
  bothBytesPerSecond: 20e9,
  besideNs: 0,
  besideMappedPart: null,
  mappedBacklogNs: 0,
};

function shared(link: Link, ...users: readonly User[]): number[] {
  for (const user of users) link.add(user);
  link.share(0);
  return users.map(({ rate }) => rate);
}

describe('the link', () => {
  it("copies during a kernel on mapped memory get the profile's share of the link, and the kernel the rest", () => {
    const users = [new Kernel(9, 0, 1), new Copies(10, 0), new Copies(0, 10)];
    expect(shared(new Link({ ...rates, besideMappedPart: 0.05 }), ...users).map((rate) => rate.toFixed(2))).toEqual([
      '1.00',
      '0.10',
      '0.10',
    ]);
    const quarter = new Link({ ...rates, besideMappedPart: 0.25 });
    expect(shared(quarter, ...users).map((rate) => rate.toFixed(2))).toEqual(['0.83', '0.25', '0.25']);
    expect(shared(new Link({ ...rates, besideMappedPart: 0.25 }), new Kernel(9, 0, 1), new Copies(0, 10))).toEqual([
      1, 0.25,
    ]);
  });

  it('leaves copies more of it the fewer threads such a kernel has', () => {
    const link = new Link({ ...rates, besideMappedPart: 0.1 });
    expect(shared(link, new Kernel(10, 0, 1 / 9), new Copies(10, 0)).map((rate) => rate.toFixed(2))).toEqual([
      '0.50',
      '0.50',
    ]);
  });

  it('keeps a copy waiting behind a kernel on mapped memory, by its multiprocessors and no longer than it lasts', () => {
    const backlogBeside = (...users: readonly User[]): number => {
      const link = new Link({ ...rates, besideMappedPart: 0.1, mappedBacklogNs: 100 });
      for (const user of users) link.add(user);
      return link.backlogNs(0);
    };
    expect(backlogBeside(new Copies(10, 0))).toBe(0);
    expect(backlogBeside(new Kernel(10, 0, 0.25))).toBe(25);
    // The kernel moves half of the link's rate.
    expect(backlogBeside(new Kernel(0, 5, 0.25))).toBe(12.5);
    expect(backlogBeside(new Kernel(10, 0, 0.25), new Kernel(10, 0, 1))).toBe(40);
  });

  it('says what a copy takes longer that begins while data moves the other way', () => {
    const link = new Link({ ...rates, besideNs: 5 });
    expect([link.besideNs(true), link.besideNs(false)]).toEqual([0, 0]);
    link.add(new Copies(10, 0));
    expect([link.besideNs(true), link.besideNs(false)]).toEqual([5, 0]);
    // A kernel on mapped memory delays copies, since it shares the link.
    const besideKernel = new Link({ ...rates, besideNs: 5 });
    besideKernel.add(new Kernel(10, 0, 1));
    expect(besideKernel.besideNs(true)).toBe(0);
  });
});
