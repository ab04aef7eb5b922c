import { describe, expect, it } from 'vitest';
import { profileCosts, recordingCosts } from '../../../core/machine/cost/profileCosts.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { activity, iterationOf } from '../../../core/trace/iteration.ts';
import { MiB } from '../../../core/units.ts';
import { h200, h200Costs } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const { 'kernel.deviceBytesPerSecond': deviceRate } = h200.parameters;
const within = { src: 'device', dst: 'device', from: 0, to: 0 } as const;

describe('a memset', () => {
  it('costs its call no launch where it is small', () => {
    const [small, large] = [h200Costs.memset(4096), h200Costs.memset(8192)];
    expect(small.callNs).toBe(h200.parameters['calls.shortNs']);
    expect(large.callNs).toBe(h200.parameters['calls.launchNs']);
  });

  it('writes each byte to the memory of the device', () => {
    const bytes = 16 * MiB;
    expect(h200Costs.memset(bytes).deviceNs).toBeGreaterThan((bytes / deviceRate) * 1e9);
  });
});

describe('a copy within the device', () => {
  it.each([1, 2, 4, 16, 64])('reads and writes %i MiB of its memory, whatever L2 held for a probe', (size) => {
    const copied = h200Costs.copy(size * MiB, within, false);
    expect(copied?.deviceNs).toBeGreaterThan(((2 * size * MiB) / deviceRate) * 1e9);
  });

  it('is followed later where a recorder is attached', () => {
    const buffers = ['a', 'b'].map((id) => ({ id, memory: 'device' as const, bytes: 64 * MiB }));
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, [
      { op: 'copy', src: 'a', dst: 'b', stream: 's' },
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 }, stream: 's' },
    ]);
    const gaps = [profileCosts(h200), recordingCosts(h200)].map((costs) => {
      const iteration = iterationOf(simulate(lower(experiment), costs).trace, 0);
      const rows = Array.from({ length: iteration.end - iteration.begin }, (_, at) =>
        activity(iteration.trace, iteration.begin + at),
      );
      const [copy, kernel] = ['copy', 'kernel'].map((kind) => rows.find((row) => row.kind === kind));
      return (kernel?.startNs ?? Number.NaN) - (copy?.endNs ?? Number.NaN);
    });
    const { 'queue.sameEngineNs': gap, 'recorder.copyGapNs': added } = h200.parameters;
    expect(gaps).toEqual([gap, gap + (added ?? 0)]);
  });
});

it('a copy between two devices holds its call for each piece without peer access, and not with it', () => {
  const ends = { src: 'device', dst: 'device', from: 0, to: 1 } as const;
  const callNs = (peerAccess: boolean) => h200Costs.copy(64 * MiB, ends, peerAccess)?.callNs ?? 0;
  expect(callNs(true)).toBe(h200.parameters['calls.copyNs']);
  expect(callNs(false)).toBeGreaterThan(200_000);
});
