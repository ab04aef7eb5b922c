import { describe, expect, it } from 'vitest';
import { predict } from '../../../core/explain/remedies/predict.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { verdicts } from '../../../core/explain/verdicts/verdicts.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { readRecording } from '../../support/recordings.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const MB = 2 ** 20;
const copy = (stream: string) => ({ op: 'copy', label: 'copy', src: 'pinned', dst: 'device', stream });
const kernel = (stream: string) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 200_000 }, stream });
const capture = (...operations: object[]) => ({ op: 'graphCapture', graph: 'step', stream: 'a', operations });
const share = (smShare: number, stream: string) => ({ ...kernel(stream), smShare });
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
  return predict(experiment, h200Machine)?.verdicts ?? [];
}

const of = (...operations: object[]) => verdictsOf(operations).map(({ cause, also }) => [cause, ...also]);

it('launches of one graph in two streams wait for each other, and no copy comes before the kernel of its own launch', () => {
  const run = readRecording('test/fixtures/runs', 'graph-launches');
  const found = verdicts(iterationOf(run.trace, 0), run.info.experiment);
  expect(found.map(({ cause, occurrences }) => [cause, occurrences])).toEqual([['graph-launches', 8]]);
});

describe('verdicts within a graph', () => {
  it('is in the stream of its launch, and not in the one that was captured', () => {
    expect(of(capture(copy('a')), launch('b'), synchronize, kernel('a'))).toEqual([['issued-too-late']]);
    expect(of(capture(copy('a')), launch('b'), synchronize, kernel('b'))).toEqual([['issued-too-late', 'same-stream']]);
    expect(of(capture(copy('a')), launch('b'), kernel('a'))).toEqual([['overlapped']]);
  });

  it('is ordered by the legacy default stream as its launch is', () => {
    expect(of(capture(copy('a')), launch('blocking'), kernel('legacy'))).toEqual([['legacy-default-stream']]);
    expect(of(capture(copy('a')), launch('a'), kernel('legacy'))).toEqual([['overlapped']]);
  });

  it('are given launch by launch', () => {
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

  it('waits for the launch before it, in whatever streams', () => {
    const twice = (...work: object[]) => [capture(...work), launch('a'), launch('b')];
    expect(verdictsOf([...twice(copy('a')), kernel('b')])).toMatchObject([{ cause: 'graph-launches', blockedBy: 3 }]);
    const [verdict] = verdictsOf([...twice(kernel('a'), copy('a')), launch('a')]);
    expect(verdict).toMatchObject({ cause: 'same-stream', occurrences: 3 });
    const [first] = verdictsOf([capture(copy('a')), kernel('a'), launch('a'), launch('b')]);
    expect(first).toMatchObject({ cause: 'same-stream', occurrences: 2 });
    const rounds = [capture(copy('a'), kernel('a')), launch('a'), launch('b'), launch('a')];
    const [later] = verdictsOf(rounds);
    expect(later).toMatchObject({ cause: 'graph-launches', rule: 'graph-launches-in-turn', blockedBy: 4 });
    expect(later?.explanation).toMatch(
      /^"launch step" in stream "b" launched a graph whose last launch was still running\./,
    );
    // A new capture makes another graph.
    const [anew] = verdictsOf([capture(kernel('a')), launch('a'), capture(copy('a')), launch('b')]);
    expect(anew).toMatchObject({ cause: 'overlapped' });
  });

  it('leaves kernels of two launches apart though there is room for both', () => {
    expect(of(capture(share(0.6, 'a')), launch('a'), launch('b'))).toEqual([]);
    expect(of(share(0.6, 'a'), share(0.6, 'b'))).toEqual([['multiprocessors-full']]);
  });

  it('holds back what stands behind it in its stream', () => {
    const [verdict] = verdictsOf([capture(share(0.1, 'a')), launch('a'), launch('b'), copy('b')]);
    expect(verdict).toMatchObject({ cause: 'same-stream' });
    const event = [
      { op: 'recordEvent', event: 'fork', stream: 'b' },
      { op: 'waitEvent', event: 'fork', stream: 'blocking' },
    ];
    const work = { op: 'memset', label: 'clear', buffer: 'device', stream: 'a' };
    const [queued] = verdictsOf([capture(work), kernel('a'), launch('a'), launch('b'), ...event, copy('blocking')]);
    expect(queued).toMatchObject({ cause: 'event-dependency' });
    expect(queued?.explanation).toContain('through launches of one graph');
  });

  it('is in no stream that its branch was captured in', () => {
    const fork = [
      { op: 'recordEvent', event: 'fork', stream: 'a' },
      { op: 'waitEvent', event: 'fork', stream: 'b' },
      copy('b'),
      kernel('b'),
      { op: 'recordEvent', event: 'join', stream: 'b' },
      { op: 'waitEvent', event: 'join', stream: 'a' },
    ];
    const [verdict] = verdictsOf([capture(...fork), launch('a'), launch('blocking'), launch('a')]);
    expect(verdict).toMatchObject({ cause: 'graph-launches' });
  });

  it('is known where another thread has captured it', () => {
    const launching = [{ op: 'waitSignal', signal: 'go' }, launch('blocking'), kernel('legacy')];
    const capturing = [capture(copy('a')), { op: 'signal', signal: 'go' }];
    expect(verdictsOf(launching, capturing).map(({ cause }) => cause)).toEqual(['legacy-default-stream']);
  });
});
