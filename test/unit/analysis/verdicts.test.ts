import { describe, expect, it } from 'vitest';
import type { Experiment, ExperimentInput } from '../../../core/experiment/experiment.ts';
import type { OperationName } from '../../../core/experiment/operations.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { verdicts } from '../../../core/explain/verdicts/verdicts.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { readRecording } from '../../support/recordings.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';
import { experimentOf } from '../support/experiments.ts';
import { pytorchCases, pytorchTrace } from '../support/pytorchOverlap.ts';

type OperationInput = { readonly op: OperationName; readonly [field: string]: unknown };
type Operations = OperationInput[];
type Memory = 'pageable' | 'pinned';

const MB = 1_000_000;
const buffers = (memory: Memory): NonNullable<ExperimentInput['buffers']> => [
  { id: 'source', memory, bytes: MB },
  { id: 'target', memory: 'device', bytes: MB },
  { id: 'other', memory: 'device', bytes: MB },
  { id: 'product', memory: 'device', bytes: MB },
];
const streams = [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' as const }];
const experiment = (memory: Memory, ...threads: Operations[]): Experiment =>
  experimentOf({ buffers: buffers(memory), streams, events: [{ id: 'done' }] }, ...threads);

const h2d = (stream: string): OperationInput => ({ op: 'copy', src: 'source', dst: 'target', stream });
const d2h = (stream: string): OperationInput => ({ op: 'copy', src: 'other', dst: 'source', stream });
const kernel = (stream: string, reads: string[] = []): OperationInput => ({
  op: 'kernel',
  label: 'multiply',
  kernel: { kind: 'spin', durationNs: 1000 },
  reads,
  stream,
});

/**
 * Draws a scene. c, k, l: calls of operations 0, 1 and 2. C: the copy (operation 0). K: a kernel, operation 1. X: a
 * second copy or kernel, operation 2. Swapped if the experiment lists the kernel first.
 */
function scene(rows: Partial<Record<string, Partial<DrawnRow>>>, ...lanes: string[]) {
  const base: Record<string, DrawnRow> = {
    c: { kind: 'host-call', op: 0, name: 'cudaMemcpyAsync' },
    C: { kind: 'copy', op: 0, name: 'H2D', src: 'pinned', dst: 'device', bytes: MB, engine: 'h2d' },
    k: { kind: 'host-call', op: 1, name: 'cudaLaunchKernel' },
    K: { kind: 'kernel', op: 1, name: 'multiply' },
    s: { kind: 'host-sync', op: 2, name: 'cudaStreamSynchronize' },
    l: { kind: 'host-call', op: 2, name: 'cudaMemcpyAsync' },
    X: { kind: 'copy', op: 2, name: 'H2D', src: 'pinned', dst: 'device', bytes: MB, engine: 'h2d' },
    w: { kind: 'host-work', op: 2, name: 'work' },
  };
  const merged = Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(rows)])].map((key) => [key, { ...base[key], ...rows[key] }]),
  ) as Record<string, DrawnRow>;
  return iterationOf(drawTrace({ rows: merged, lanes }), 0);
}

function only(all: readonly Verdict[]): Verdict {
  expect(all).toHaveLength(1);
  return all[0] as Verdict;
}

const pageable = { C: { src: 'pageable' } } as const;

describe('the four cases', () => {
  it('pageable source, same stream', () => {
    const iteration = scene(pageable, 'thread:main  ccccccccccck.......', 'stream:a     ...CCCCCCCC.KKK....');
    const found = only(verdicts(iteration, experiment('pageable', [h2d('a'), kernel('a')])));
    expect(found).toMatchObject({
      op: 0,
      cause: 'pageable-source',
      also: ['same-stream'],
      rule: 'pageable-copy-holds-host',
      with: 1,
      withLabel: 'multiply',
      hostCall: 'cudaMemcpyAsync',
      needsData: false,
      overlapNs: 0,
      share: 0,
      copyNs: 8000,
      title: 'Pageable source',
    });
    expect(found.explanation).toContain('cudaMemcpyAsync blocked the host for 11.0 µs while the driver staged 1 MB');
    expect(found.explanation).toContain('The host issued the kernel 1.00 µs after the copy ended');
    expect(found.remedy).toContain('Pin "source"');
    expect(found.remedy).toContain('non-blocking stream of its own');
    expect(found.evidence.map(({ role, startNs, endNs }) => [role, startNs, endNs])).toEqual([
      ['copy', 3000, 11_000],
      ['copy-call', 0, 11_000],
      ['kernel', 12_000, 15_000],
      ['kernel-call', 11_000, 12_000],
      ['holding-call', 0, 11_000],
    ]);
  });

  it.each(pytorchCases())("PyTorch's $trace, without its experiment", (traced) => {
    const expected = traced.pinned
      ? { cause: traced.streamed ? 'overlapped' : 'same-stream', also: [] }
      : { cause: 'pageable-source', also: traced.streamed ? [] : ['same-stream'] };
    const found = verdicts(iterationOf(pytorchTrace(traced), 0), null);
    expect(found).toHaveLength(2);
    for (const verdict of found) expect(verdict).toMatchObject({ op: -1, ...expected });
  });
});

describe('pageable memory', () => {
  it('overlaps a kernel that was already running: the trace decides', () => {
    const iteration = scene(
      { c: { op: 1 }, C: { op: 1, src: 'pageable' }, k: { op: 0 }, K: { op: 0 } },
      'thread:main  kcccccccccc.',
      'stream:b     .KKKKKKKKKK.',
      'stream:a     ..CCCCCCCCC.',
    );
    const found = only(verdicts(iteration, experiment('pageable', [kernel('b'), h2d('a')])));
    expect(found).toMatchObject({ op: 1, cause: 'overlapped', with: 0, overlapNs: 9000, share: 1 });
  });

  it('is not blamed where the kernel ran first in the same stream', () => {
    const iteration = scene(
      { c: { op: 1 }, C: { op: 1, src: 'pageable' }, k: { op: 0 }, K: { op: 0 } },
      'thread:main  kccccccccccc',
      'stream:a     .KKKKKCCCCCC',
    );
    const found = only(verdicts(iteration, experiment('pageable', [kernel('a'), h2d('a')])));
    expect(found).toMatchObject({ cause: 'same-stream', also: [] });
  });

  it('a pageable copy is delayed by its own staging, after a kernel that ends during it', () => {
    const iteration = scene(
      { c: { op: 1 }, C: { op: 1, src: 'pageable' }, k: { op: 0 }, K: { op: 0 } },
      'thread:main  kccccccccccc',
      'stream:b     .KKKK.......',
      'stream:a     ......CCCCCC',
    );
    const found = only(verdicts(iteration, experiment('pageable', [kernel('b'), h2d('a')])));
    expect(found).toMatchObject({ cause: 'pageable-source', hostCall: 'cudaMemcpyAsync' });
  });
});

describe('order between streams', () => {
  const lanes = ['thread:main         ck..........', 'stream:blocking     .CCCCCCCC...'];

  it('is implied between two blocking streams by work in the legacy default stream', () => {
    const iteration = scene(
      { m: { kind: 'host-call', op: 1 }, M: { kind: 'kernel', op: 1 }, k: { op: 2 }, K: { op: 2 } },
      'thread:main           cmk...........',
      'stream:blocking       .CCCCCCCC.....',
      'stream:legacy_default .........M....',
      'stream:second         ..........KKK.',
    );
    const document = experimentOf(
      { buffers: buffers('pinned'), streams: [...streams, { id: 'second', flags: 'blocking' }] },
      [h2d('blocking'), kernel('default', ['target']), kernel('second')],
    );
    expect(only(verdicts(iteration, document))).toMatchObject({
      cause: 'legacy-default-stream',
      with: 2,
      blockedBy: 1,
    });
  });

  it('is not claimed of a non-blocking stream, nor with per-thread default streams', () => {
    const nonBlocking = scene(
      {},
      'thread:main ck..........',
      'stream:a .CCCCCCCC...',
      'stream:legacy_default .........KKK',
    );
    expect(only(verdicts(nonBlocking, experiment('pinned', [h2d('a'), kernel('default')]))).cause).toBe('unexplained');
    const perThread = experimentOf(
      { buffers: buffers('pinned'), streams, environment: { defaultStream: 'per-thread' } },
      [h2d('blocking'), kernel('default')],
    );
    const iteration = scene({}, ...lanes, 'stream:default_of_main .........KKK');
    expect(only(verdicts(iteration, perThread)).cause).toBe('unexplained');
  });

  it('is not set by waiting for an event that was recorded before the copy', () => {
    const iteration = scene(
      { c: { op: 1 }, C: { op: 1 }, k: { op: 3 }, K: { op: 3 } },
      'thread:main  .ck.........',
      'stream:a     ..CCCCCCC...',
      'stream:b     .........KKK',
    );
    const found = only(
      verdicts(
        iteration,
        experiment('pinned', [
          { op: 'recordEvent', event: 'done', stream: 'a' },
          h2d('a'),
          { op: 'waitEvent', event: 'done', stream: 'b' },
          kernel('b'),
        ]),
      ),
    );
    expect(found.cause).toBe('unexplained');
  });
});

describe('engines and queues', () => {
  describe('a copy behind one of another stream', () => {
    /** The copy J is ready only after the kernel before it in its stream; C has been ready since its call. */
    const told = (channels: readonly [number, number], third = '..................', own = 'CCCCC') =>
      verdicts(
        scene(
          {
            ...{ k: { op: 0 }, K: { op: 0 }, c: { op: 3 }, l: { op: 2 }, X: { op: 2 } },
            j: { kind: 'host-call', op: 1, name: 'cudaMemcpyAsync' },
            J: { kind: 'copy', op: 1, name: 'H2D', src: 'pinned', dst: 'device', engine: 'h2d', channel: channels[0] },
            C: { op: 3, channel: channels[1] },
          },
          'thread:main  kjlc..............',
          'stream:a     .KKKKKKKKKKJ......',
          `stream:b     ${third}`,
          `stream:c     ............${own}.`,
        ),
        experimentOf({ buffers: buffers('pinned'), streams: [...streams, { id: 'c' }] }, [
          kernel('a'),
          h2d('a'),
          h2d('b'),
          h2d('c'),
        ]),
      ).find(({ op }) => op === 3);

    it('in its queue waited there for what it had nothing to do with', () => {
      const found = told([9, 9]);
      expect(found).toMatchObject({ cause: 'copy-queues', rule: 'copy-queues', with: 0, blockedBy: 1 });
      expect(found?.evidence.find(({ role }) => role === 'blocking-operation')).toMatchObject({
        ...{ op: 1, lane: 'stream:a', startNs: 11_000, endNs: 12_000 },
      });
      expect(found?.explanation).toContain('shares a queue of the H2D copy engine with "H2D 1 MB" of stream "a"');
    });

    it('in another queue, or in one that was not recorded, did not', () => {
      expect(told([8, 9])?.cause).toBe('unexplained');
      expect(told([-1, -1])?.cause).toBe('unexplained');
    });

    it('waited for the engine where that was not idle', () => {
      expect(told([9, 9], '...XXXXXXXX.......')).toMatchObject({ cause: 'engine-busy', blockedBy: 2 });
      // The engine becomes idle too late for a long copy to overlap, but not for a short one.
      expect(told([9, 9], '...XXXXX..........')).toMatchObject({ cause: 'engine-busy', blockedBy: 2 });
      expect(told([9, 9], '...XXXXX..........', 'CC')).toMatchObject({ cause: 'copy-queues', blockedBy: 1 });
    });

    it('a run recorded on an H200 has this verdict, by the channels that CUPTI named', () => {
      const { trace, info } = readRecording('test/fixtures/blind3', 'chunks-4');
      const found = verdicts(iterationOf(trace, 0), info.experiment).filter(({ cause }) => cause === 'copy-queues');
      expect(found).toHaveLength(2);
      for (const { row, evidence } of found) {
        const obstacle = evidence.find(({ role }) => role === 'blocking-operation');
        const other = Array.from({ length: trace.count }, (_, index) => index).find(
          (index) => trace.columns.op[index] === obstacle?.op && trace.columns.startNs[index] === obstacle?.startNs,
        );
        expect(trace.columns.channel[row]).toBe(trace.columns.channel[other ?? -1]);
      }
    });
  });

  it('tells what blocked the host of a short kernel that began a few µs after its issue, as none begins sooner', () => {
    const told = (gap: string) =>
      only(
        verdicts(
          scene(
            { s: { kind: 'host-work', op: 2, name: 'work' } },
            'thread:main  csssssssssssssk.............',
            'stream:a     .CCCCCCCCCCCCCCCC...........',
            `stream:b     ................${gap}KK`,
          ),
          experiment('pinned', [h2d('a'), kernel('b')]),
        ),
      );
    expect(told('..')).toMatchObject({ cause: 'issued-too-late', rule: 'issue-before-run', hostCall: 'work' });
    expect(told('......').cause).toBe('unexplained');
  });

  it('does not blame an engine of the other direction', () => {
    const iteration = scene(
      {
        X: { op: 1, src: 'device', dst: 'pinned', engine: 'd2h' },
        l: { op: 1 },
        c: { op: 2 },
        C: { op: 2 },
        k: { op: 0 },
        K: { op: 0 },
      },
      'thread:main  klc.............',
      'stream:b     .KKKKKK.........',
      'stream:a     ..XXXXXXXXCCCCC.',
    );
    const found = verdicts(iteration, experiment('pinned', [kernel('b'), d2h('a'), h2d('a')]));
    expect(found.find(({ op }) => op === 2)).toMatchObject({
      cause: 'queued-behind',
      blockedBy: 1,
      rule: 'stream-order',
    });
  });

  it('tells a kernel that stood behind other work of its stream', () => {
    const iteration = scene(
      { X: { src: 'device', dst: 'pinned', engine: 'd2h', op: 1 }, l: { op: 1 }, k: { op: 2 }, K: { op: 2 } },
      'thread:main  clk.............',
      'stream:a     .CCCCCC.........',
      'stream:b     ..XXXXXXXXKKK...',
    );
    const found = verdicts(iteration, experiment('pinned', [h2d('a'), d2h('b'), kernel('b')]));
    expect(found.find(({ op }) => op === 0)).toMatchObject({
      ...{ cause: 'queued-behind', blockedBy: 1, with: 2 },
      remedy: 'Issue the kernel "multiply" before "D2H 1 MB", or in a stream that doesn\'t wait for it.',
    });
    expect(found.find(({ op }) => op === 1)).toMatchObject({ cause: 'same-stream', with: 2 });
    const needing = verdicts(
      iteration,
      experiment('pinned', [h2d('a'), d2h('b'), { ...kernel('b'), writes: ['source'] }]),
    );
    expect(needing.find(({ op }) => op === 0)?.remedy).toBe(
      'The kernel "multiply" and "D2H 1 MB" share data: let the copy overlap other work.',
    );
  });
});

describe('host', () => {
  it('held by Tensor.to(non_blocking=False) would be so from pinned memory as well', () => {
    const copy: OperationInput = { ...h2d('a'), mode: 'blocking-to' };
    const lanes = ['thread:main  cccccccccssk..', 'stream:a     ..CCCCCCCCC....', 'stream:b     ............KK'];
    const fromPageable = scene({ ...pageable, s: { op: 0 } }, ...lanes);
    expect(only(verdicts(fromPageable, experiment('pageable', [copy, kernel('b')])))).toMatchObject({
      cause: 'pageable-source',
      also: ['issued-too-late'],
    });
    const fromPinned = scene(
      { s: { op: 0 } },
      'thread:main  csssssssssk....',
      'stream:a     .CCCCCCCC......',
      'stream:b     ...........KKK.',
    );
    expect(only(verdicts(fromPinned, experiment('pinned', [copy, kernel('b')])))).toMatchObject({
      cause: 'issued-too-late',
      rule: 'blocking-to',
      blockedBy: null,
    });
  });

  it('merely slow leaves the blame with the stream', () => {
    const iteration = scene(
      { w: { op: 1 }, k: { op: 2 }, K: { op: 2 } },
      'thread:main  cwwwwwwk....',
      'stream:a     .CCCCCCCCKKK',
    );
    const work = { op: 'work', durationNs: 6000 } as const;
    const found = only(verdicts(iteration, experiment('pinned', [h2d('a'), work, kernel('a')])));
    expect(found).toMatchObject({ cause: 'same-stream', also: ['issued-too-late'], hostCall: null });
    expect(found.explanation).toContain('also issues the kernel too late');
  });

  it('descheduled inside a launch is no sign of a small copy', () => {
    const lanes = ['thread:main  ckkkkkkkkkkk..', 'stream:a     .CCCCCC.......', 'stream:b     ............KK'];
    expect(only(verdicts(scene({}, ...lanes), experiment('pinned', [h2d('a'), kernel('b')]))).cause).toBe('too-small');
    const slow = iterationOf(
      drawTrace({
        tickNs: 100_000,
        rows: {
          c: { kind: 'host-call', op: 0, name: 'cudaMemcpyAsync' },
          C: { kind: 'copy', op: 0, src: 'pinned', dst: 'device', bytes: MB },
          k: { kind: 'host-call', op: 1, name: 'cudaLaunchKernel' },
          K: { kind: 'kernel', op: 1 },
        },
        lanes,
      }),
      0,
    );
    const found = only(verdicts(slow, experiment('pinned', [h2d('a'), kernel('b')])));
    expect(found).toMatchObject({ cause: 'issued-too-late', hostCall: 'cudaLaunchKernel', rule: 'issue-before-run' });
    expect(found.remedy).toContain('Find out what blocked cudaLaunchKernel');
  });

  it('makes too many calls first', () => {
    const iteration = scene(
      { l: { op: 1, name: 'cudaEventRecord' }, k: { op: 2 }, K: { op: 2 } },
      'thread:main  cclllll.llllkk..',
      'stream:a     ..CCCCCCCCC.....',
      'stream:b     ..............KK',
    );
    const found = only(
      verdicts(
        iteration,
        experiment('pinned', [h2d('a'), { op: 'recordEvent', event: 'done', stream: 'b' }, kernel('b')]),
      ),
    );
    expect(found).toMatchObject({ cause: 'issued-too-late', rule: 'launch-cost', hostCall: null });
    expect(found.explanation).toContain('The host made 4 calls in that time');
  });

  it('on another thread is not held by this one', () => {
    const iteration = scene(
      pageable,
      'thread:main    ccccccccccc..',
      'thread:thread1 k............',
      'stream:a       ..CCCCCCCCC..',
      'stream:b       .KKKKKK......',
    );
    const document = experiment('pageable', [h2d('a')], [kernel('b')]);
    expect(only(verdicts(iteration, document))).toMatchObject({ cause: 'overlapped', overlapNs: 5000 });
  });
});

describe('nothing to gain', () => {
  it('from 4 KB of pageable memory, which goes into the command buffer', () => {
    const iteration = scene(
      { C: { bytes: 4096, src: 'pageable' } },
      'thread:main  cckkkk......',
      'stream:a     ..C...KKKK..',
    );
    expect(only(verdicts(iteration, experiment('pageable', [h2d('a'), kernel('a')])))).toMatchObject({
      cause: 'too-small',
      also: ['same-stream'],
    });
  });

  it('without any kernel', () => {
    const iteration = scene({}, 'thread:main  cs.......', 'stream:a     .CCCCCCCC');
    expect(only(verdicts(iteration, experiment('pinned', [h2d('a')])))).toMatchObject({
      cause: 'nothing-to-overlap',
      with: null,
      share: 0,
    });
  });

  it('is not said of pageable memory, which makes the copy slow whether a kernel runs or not', () => {
    const rows = ['thread:main  ccccccc..', 'stream:a     ..CCCCCCC'] as const;
    const found = (memory: 'pinned' | 'pageable') =>
      only(verdicts(scene({ C: { bytes: 2 ** 16 + 1, src: memory } }, ...rows), experiment(memory, [h2d('a')])));
    expect(found('pageable')).toMatchObject({ cause: 'pageable-source', also: ['nothing-to-overlap'], costNs: 9000 });
    expect(found('pinned')).toMatchObject({ cause: 'nothing-to-overlap', costNs: 7000, pinnedNs: null });
  });

  it('is not said of a brush: less than half of the shorter one in common', () => {
    const document = experiment('pinned', [h2d('a'), kernel('b')]);
    const half = scene({}, 'thread:main ck.........', 'stream:a .CCCCCCCC..', 'stream:b .......KKKK');
    expect(only(verdicts(half, document))).toMatchObject({ cause: 'overlapped', share: 0.5 });
    const brush = scene({}, 'thread:main c......k...', 'stream:a .CCCCCCCC..', 'stream:b ........KKKK');
    const found = only(verdicts(brush, document));
    expect(found).toMatchObject({ cause: 'issued-too-late', hostCall: null, share: 0.25, overlapNs: 1000 });
    expect(found.explanation).toContain('does not show what the host did');
  });
});

it('repeats are one verdict for the operation, by what most of its time shows', () => {
  const iteration = scene(
    { c: { op: 1 }, C: { op: 1 }, k: { op: 2 }, K: { op: 2 } },
    'thread:main  ckckck..............',
    'stream:a     .CCCC.CCCC.CCCC.....',
    'stream:b     ......KK...KK...KK..',
  );
  const document = experiment('pinned', [{ op: 'repeat', count: 3, operations: [h2d('a'), kernel('b')] }]);
  const found = only(verdicts(iteration, document));
  expect(found).toMatchObject({
    op: 1,
    cause: 'overlapped',
    occurrences: 3,
    overlappedOccurrences: 2,
    overlapNs: 4000,
    copyNs: 12_000,
  });
  expect(found.explanation).toContain('The copy ran 3 times, 2 of them like this');
});

describe('kernels that fill the multiprocessors', () => {
  const spin = (share: number, stream: string) =>
    ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, smShare: share, stream }) as const;
  const rows = {
    f: { kind: 'host-call', op: 0, correlation: 1 },
    s: { kind: 'host-call', op: 1, correlation: 2 },
    F: { kind: 'kernel', op: 0, correlation: 1, engine: 'compute' },
    S: { kind: 'kernel', op: 1, correlation: 2, engine: 'compute' },
  } as const;
  const drawn = (second: string) =>
    iterationOf(
      drawTrace({
        rows,
        tickNs: 10_000,
        lanes: ['thread:main fs..........................', 'stream:a    .FFFFFFFFFFFFFFFF', `stream:b    ${second}`],
      }),
      0,
    );
  const told = (second: string, shares: readonly [number, number] = [0.999, 0.25]) =>
    verdicts(drawn(second), experiment('pinned', [spin(shares[0], 'a'), spin(shares[1], 'b')])).map(
      ({ cause, explanation }) => [cause, explanation.split(' until ')[1]?.split('.')[0]],
    );

  it('keep another one waiting until they are over', () => {
    expect(told('.................SSSSSSSS')).toEqual([['multiprocessors-full', 'it ended']]);
  });

  it('or until their first blocks are over, where it begins in their tail', () => {
    expect(told('.............SSSSSSSSSS')).toEqual([['multiprocessors-full', 'its first blocks ended']]);
  });

  it('but not a kernel that begins early or long after, nor one that had room', () => {
    expect(told('.....SSSSSSSSSSSSSSSSSSSSSSSSSS')).toEqual([]);
    expect(told('....................SSSSSSSS')).toEqual([]);
    expect(told('.................SSSSSSSS', [0.5, 0.25])).toEqual([]);
  });
});
