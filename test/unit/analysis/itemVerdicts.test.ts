import { describe, expect, it } from 'vitest';
import { predict } from '../../../core/analysis/counterfactual/predict.ts';
import { h200 } from '../simulator/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const kernel = (stream: string) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 300_000 }, stream });
const item = (stream: string) => ({ op: 'item', buffer: 'device', stream });
const copy = { op: 'copy', src: 'pinned', dst: 'other', stream: 'a' };

function causesOf(...operations: object[]): string[][] {
  const buffers = [
    { id: 'device', memory: 'device', bytes: 4096 } as const,
    { id: 'pinned', memory: 'pinned', bytes: 2 ** 24 } as const,
    { id: 'other', memory: 'device', bytes: 2 ** 24 } as const,
  ];
  const streams = [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' as const }];
  const experiment = experimentOf(
    { buffers, streams, events: [{ id: 'done' }] },
    operations as Parameters<typeof experimentOf>[1],
  );
  return (predict(experiment, h200)?.verdicts ?? []).map(({ cause, also }) => [cause, ...also]);
}

describe('the copy of item()', () => {
  it('waits for what its stream waits for', () => {
    expect(causesOf(kernel('blocking'), item('legacy'))).toEqual([['legacy-default-stream']]);
    expect(
      causesOf(
        kernel('a'),
        { op: 'recordEvent', event: 'done', stream: 'a' },
        { op: 'waitEvent', event: 'done', stream: 'b' },
        item('b'),
      ),
    ).toEqual([['event-dependency']]);
  });

  it('overlaps a kernel that nothing orders it after', () => {
    expect(causesOf(kernel('a'), item('b'))).toEqual([['overlapped']]);
  });

  it('synchronises its stream, which would hold the host in any other stream too', () => {
    expect(causesOf(copy, item('a'), kernel('a'))[0]).toEqual(['issued-too-late', 'same-stream']);
  });
});
