/** Pageable copies that share the driver's page-locked buffer: two slots, pieces of 100 bytes, 2 ns a byte to stage. */
import { describe, expect, it } from 'vitest';
import { program, run, toyProfile } from './toy.ts';

const staged = (stream: string, bytes = 100) =>
  ({ op: 'copy', src: 'pageable', dst: 'device', stream, bytes }) as const;
const kernel = (stream: string) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 5000 }, stream }) as const;
const calls = (tested: Parameters<typeof run>[0], thread = 'thread:main') =>
  run(tested, toyProfile)
    .filter(({ lane, name }) => lane === thread && name === 'cudaMemcpyAsync')
    .map(({ start, end }) => [start, end]);

describe('pageable copies to one device', () => {
  it('block the host once the slots are full of pieces that their stream holds up', () => {
    const tested = program([kernel('a'), staged('a'), staged('a'), staged('a')]);
    const rows = run(tested, toyProfile);
    const [first] = rows.filter(({ kind, lane }) => kind === 'copy' && lane === 'stream:a');
    const [, second, third] = calls(tested);
    expect(second).toEqual([220, 420]);
    // The third piece is staged after the first one has been transferred.
    expect(third).toEqual([420, (first?.end ?? 0) + 200]);
  });

  it('are staged one thread after another', () => {
    const tested = program([staged('a', 1000)], [{ op: 'work', durationNs: 50 }, staged('b')]);
    const [[, mainEnd = 0] = []] = calls(tested);
    expect(mainEnd).toBeGreaterThanOrEqual(2000);
    expect(calls(tested, 'thread:thread1')).toEqual([[50, mainEnd + 200]]);
  });

  it('leave those alone that travel in the command buffer', () => {
    const tested = program([staged('a', 1000)], [{ op: 'work', durationNs: 50 }, staged('b', 16)]);
    expect(calls(tested, 'thread:thread1')).toEqual([[50, 82]]);
  });
});
