/** Host threads that work at once, on a machine of four processors whose four threads copy 3 bytes a nanosecond. */
import { describe, expect, it } from 'vitest';
import { program, programWith, run, times, toyWith } from './toy.ts';

const work = { op: 'work', durationNs: 1000 } as const;
const pin = { op: 'pin', src: 'pageable', dst: 'pinned' } as const;
const ends = (rows: ReturnType<typeof run>): number[] => times(rows, 'host-work').map(([, , end]) => end);

describe('host threads', () => {
  it('work side by side on as many processors', () => {
    expect(ends(run(program([work], [work], [work], [work])))).toEqual([1000, 1000, 1000, 1000]);
  });

  it('take turns if they are more than the processors', () => {
    const [first, ...others] = Array.from({ length: 8 }, () => [work]);
    expect(ends(run(program(first ?? [], ...others)))).toEqual(Array.from({ length: 8 }, () => 2000));
  });

  it('share the host memory when they pin', () => {
    expect(ends(run(program([pin])))).toEqual([100_000]);
    const four = ends(run(program([pin], [pin], [pin], [pin])));
    expect(four.map(Math.round)).toEqual(Array.from({ length: 4 }, () => 133_333));
  });

  it('find in the caches only what fits into them together', () => {
    const cached = toyWith({ 'host.cachedBytes': 150_000, 'host.cachedBytesPerSecond': 2e9 });
    expect(ends(run(program([pin]), cached))).toEqual([50_000]);
    expect(ends(run(program([pin], [pin]), cached))).toEqual([100_000, 100_000]);
  });

  it('share the host memory in copies between host buffers', () => {
    const copy = { op: 'copy', src: 'pageable', dst: 'pinned', stream: 'a', mode: 'async' } as const;
    const own = Array.from({ length: 4 }, (_, stream) => [{ ...copy, stream: `s${stream}` }]);
    const streams = own.map((_, stream) => ({ id: `s${stream}`, flags: 'non-blocking' }));
    const rows = run(programWith({ streams }, ...own));
    expect(times(rows, 'copy').map(([, start, end]) => Math.round(end - start))).toEqual([
      133_333, 133_333, 133_333, 133_333,
    ]);
  });
});
