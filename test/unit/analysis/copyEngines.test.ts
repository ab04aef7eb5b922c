/** Devices with one copy engine or none, as asyncEngineCount says. */
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../core/experiment/operations.ts';
import { predict } from '../../../core/explain/remedies/predict.ts';
import { profileDevice } from '../../../core/machine/cost/simEngine.ts';
import { buffers, h200Machine, toyCosts, toyProfile } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const up = { op: 'copy', id: 'up', src: 'pinned', dst: 'device', stream: 'up', bytes: 10_000, mode: 'async' } as const;
const down = { ...up, id: 'down', src: 'device2', dst: 'pinned2', stream: 'down' } as const;
const kernel = { op: 'kernel', id: 'k', kernel: { kind: 'spin', durationNs: 8000 }, stream: 'work' } as const;
const streams = ['up', 'down', 'work'].map((id) => ({ id, flags: 'non-blocking' as const }));

function judged(asyncEngineCount: number, ...operations: object[]) {
  const profile = { ...toyProfile, device: { ...toyProfile.device, asyncEngineCount } };
  const experiment = experimentOf({ buffers, streams } as never, operations as unknown as Operation[]);
  const prediction = predict(experiment, { costs: toyCosts(profile), device: profileDevice(profile) });
  if (prediction === null) throw new Error('not simulated');
  const verdict = (id: string) => prediction.verdicts.find((one) => one.id === id);
  return { makespanNs: prediction.makespanNs, verdict };
}

describe('a device without a copy engine', () => {
  it('runs copies and kernels in turn, and the verdict says why', () => {
    const [none, two] = [0, 2].map((count) => judged(count, kernel, up));
    expect(two?.makespanNs).toBeLessThan(11_000);
    expect(none?.makespanNs).toBeGreaterThan(18_000);
    expect(none?.verdict('up')).toMatchObject({ cause: 'not-a-copy-engine-copy', overlapNs: 0 });
    expect(none?.verdict('up')?.explanation).toContain('no copy engine');
  });

  it('runs staged copies in turn with kernels too', () => {
    const pageable = { ...up, src: 'pageable' };
    expect(judged(0, kernel, pageable).verdict('up')?.overlapNs).toBe(0);
    expect(judged(2, kernel, pageable).verdict('up')?.overlapNs).toBeGreaterThan(0);
  });
});

it('a device with one copy engine runs both directions one after another, and the verdict names the engine', () => {
  const { verdict } = judged(1, down, kernel, up);
  expect(verdict('up')).toMatchObject({ cause: 'engine-busy' });
  expect(verdict('up')?.explanation).toContain('only copy engine');
  expect(judged(2, down, kernel, up).verdict('up')).toMatchObject({ cause: 'overlapped' });
});

describe('copies without kernels', () => {
  it('names the stream that keeps two directions apart, which could run at once', () => {
    const one = judged(2, { ...up, stream: 'work' }, { ...down, stream: 'work' });
    expect(one.verdict('down')).toMatchObject({ cause: 'same-stream', with: 0 });
    expect(one.verdict('down')?.explanation).toContain('opposite directions');
    expect(judged(2, up, down).verdict('down')).toMatchObject({ cause: 'nothing-to-overlap', with: null });
  });

  it('says that copies of one direction in two streams fill their engine', () => {
    const { verdict } = judged(2, up, { ...up, id: 'second', dst: 'device2', stream: 'down' });
    expect(verdict('second')).toMatchObject({ cause: 'nothing-to-overlap' });
    expect(verdict('second')?.explanation).toContain('it is full');
  });
});

it('a graph with a copy of pageable memory stages it while it runs, so that no call is said to be held', () => {
  const capture = {
    op: 'graphCapture',
    graph: 'g',
    stream: 'up',
    operations: [{ ...up, src: 'pageable', bytes: 2 ** 20 }],
  };
  const sizes = buffers?.map((buffer) => ({ ...buffer, bytes: 2 ** 20 }));
  const operations = [capture, { op: 'graphLaunch', graph: 'g', stream: 'up' }] as unknown as Operation[];
  const verdict = predict(experimentOf({ buffers: sizes, streams } as never, operations), h200Machine)?.verdicts[0];
  expect(verdict).toMatchObject({ id: 'up', cause: 'pageable-source' });
  expect(verdict?.explanation).not.toContain('blocked the host');
});
