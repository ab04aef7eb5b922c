/** What a probe's reading counts beside what is known of such machines. */
import { describe, expect, it } from 'vitest';
import { drawn, shareOf } from '../../../core/calibrate/trust.ts';

describe('a reading beside what is known', () => {
  const told = (path: string, reading: number, known: number | null): number =>
    drawn(reading, known, shareOf(path, reading, known));

  it('is drawn towards it on a logarithmic scale', () => {
    expect(told('calls.launchNs', 4, 1)).toBeCloseTo(2);
    expect(told('calls.launchNs', 1, 4)).toBeCloseTo(2);
    expect(told('calls.launchNs', 4, null)).toBe(4);
  });

  it.each(['write', 'read', 'index', 'random', 'readRandom'])(
    'counts where a host thread was no slower: %s',
    (what) => {
      const path = `host.${what}BytesPerSecond`;
      expect(told(path, 5e9, 3e9)).toBe(5e9);
      expect(told(path, 2e9, 3e9)).toBe(3e9);
      expect(told(path, 2e9, null)).toBe(2e9);
    },
  );

  it('is drawn as others are where a rate is not of one thread by itself', () => {
    expect(told('host.readArrivedBytesPerSecond', 4, 1)).toBeCloseTo(2);
  });
});
