import { describe, expect, it } from 'vitest';
import type { DeviceProfile } from '../../../core/profile/profile.ts';
import { compareMachines } from '../../../core/sweep/machines.ts';
import { simulatedExample } from '../export/support.ts';
import { h200 } from '../machine/toy.ts';

/** Launches take so long there that the copy is over before its kernel. */
const slowHost: DeviceProfile = { ...h200, parameters: { ...h200.parameters, 'calls.launchNs': 5_000_000 } };

const of = (host: string | null, profile: DeviceProfile, name = 'overlap/pinned-side-stream') => ({
  host,
  run: simulatedExample(name, profile),
});

describe('one experiment on several machines', () => {
  it('names the copies and kernels that waited for different reasons, as each machine has it', () => {
    const { causes } = compareMachines([of(null, h200), of('gpu-box', slowHost)]);
    const copy = causes?.find(({ label }) => label.startsWith('H2D'));
    expect(copy?.causes).toEqual(['overlapped', 'issued-too-late']);
    expect(copy?.titles.every((title) => title !== null)).toBe(true);
  });

  it('names none where all waited for the same', () => {
    expect(compareMachines([of(null, h200), of('gpu-box', h200)]).causes).toEqual([]);
  });

  it('says nothing of runs of different programs', () => {
    const { causes, machines } = compareMachines([of(null, h200), of('a', h200, 'overlap/pinned-same-stream')]);
    expect(causes).toBeNull();
    expect(machines.map(({ host }) => host)).toEqual([null, 'a']);
  });
});
