import { describe, expect, it } from 'vitest';
import { predict } from '../../../core/analysis/counterfactual/predict.ts';
import type { Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import { h200 } from '../simulator/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const MB = 2 ** 20;
const copy = (stream: string) => ({ op: 'copy', label: 'copy', src: 'pinned', dst: 'device', stream });
const kernel = (stream: string) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 200_000 }, stream });
const capture = (...operations: object[]) => ({ op: 'graphCapture', graph: 'step', stream: 'a', operations });
const launch = (stream: string) => ({ op: 'graphLaunch', graph: 'step', stream });
const synchronize = { op: 'synchronizeDevice' };

function verdictsOf(...threads: object[][]): readonly Verdict[] {
  const experiment = experimentOf(
    {
      buffers: [
        { id: 'pinned', memory: 'pinned', bytes: 16 * MB },
        { id: 'device', memory: 'device', bytes: 16 * MB },
      ],
      streams: [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' }],
      events: [{ id: 'fork' }, { id: 'join' }],
      signals: [{ id: 'go' }],
    },
    ...(threads as Parameters<typeof experimentOf>[1][]),
  );
  return predict(experiment, h200)?.verdicts ?? [];
}

const of = (...operations: object[]) => verdictsOf(operations).map(({ cause, also }) => [cause, ...also]);

describe('what a graph holds', () => {
  it('is in the stream of its launch, and not in the one that was captured', () => {
    expect(of(capture(copy('a')), launch('b'), synchronize, kernel('a'))).toEqual([['issued-too-late']]);
    expect(of(capture(copy('a')), launch('b'), synchronize, kernel('b'))).toEqual([['issued-too-late', 'same-stream']]);
    expect(of(capture(copy('a')), launch('b'), kernel('a'))).toEqual([['overlapped']]);
  });

  it('is ordered by the legacy default stream as its launch is', () => {
    expect(of(capture(copy('a')), launch('blocking'), kernel('legacy'))).toEqual([['legacy-default-stream']]);
    expect(of(capture(copy('a')), launch('a'), kernel('legacy'))).toEqual([['overlapped']]);
  });

  it('is told apart launch by launch', () => {
    const [verdict] = verdictsOf([capture(copy('a')), launch('b'), kernel('b'), launch('b'), kernel('b')]);
    expect(verdict).toMatchObject({ cause: 'same-stream', occurrences: 2 });
  });

  it('has branches that are no part of the streams they are shown in', () => {
    const fork = [
      { op: 'recordEvent', event: 'fork', stream: 'a' },
      { op: 'waitEvent', event: 'fork', stream: 'b' },
      copy('b'),
      { op: 'recordEvent', event: 'join', stream: 'b' },
      { op: 'waitEvent', event: 'join', stream: 'a' },
    ];
    expect(of(capture(...fork), launch('a'), synchronize, kernel('b'))).toEqual([['issued-too-late']]);
    expect(of(capture(...fork), launch('a'), kernel('a'))).toEqual([['event-dependency']]);
  });

  it('is known where another thread has captured it', () => {
    const launching = [{ op: 'waitSignal', signal: 'go' }, launch('blocking'), kernel('legacy')];
    const capturing = [capture(copy('a')), { op: 'signal', signal: 'go' }];
    expect(verdictsOf(launching, capturing).map(({ cause }) => cause)).toEqual(['legacy-default-stream']);
  });
});
