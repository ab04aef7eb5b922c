import { describe, expect, it } from 'vitest';
import { knownMachine, traceAnswers } from '../../../core/lift/answers.ts';
import { assumptionsOf } from '../../../core/lift/assumptions.ts';
import { applyChanges } from '../../../core/lift/changes/apply.ts';
import { copyIn, copyOut } from '../../../core/lift/changes/streams.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { needsOf } from '../../../core/lift/needs.ts';
import { replay } from '../../../core/lift/replay.ts';
import type { Run } from '../../../core/trace/run.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { h200Costs as costs } from '../machine/toy.ts';

let correlation = 0;
const call = (name: string, at: number, us: number) =>
  complete('cuda_runtime', name, at, us, { correlation: ++correlation });
const launch = (at: number, startsAt: number, us: number, stream = 7) => [
  call('cudaLaunchKernel', at, 5),
  complete('kernel', 'work', startsAt, us, { correlation, device: 0, stream }),
];
const toDevice = 'Memcpy HtoD (Pinned -> Device)';
const copy = (at: number, startsAt: number, us: number, stream: number, name = toDevice) => [
  call('cudaMemcpyAsync', at, 5),
  complete('gpu_memcpy', name, startsAt, us, {
    correlation,
    device: 0,
    stream,
    bytes: 100 << 20,
  }),
];
const mark = (at: number, us: number) => complete('user_annotation', 'step', at, us);

/** Returns steps of 4 ms on the host and a kernel of 5 ms, each waiting for the kernel `ahead` steps before. */
function stepsAhead(ahead: number) {
  const ends: number[] = [];
  let at = 1000;
  return Array.from({ length: 8 }, (_, step) => {
    const begin = at;
    const issue = begin + 4000;
    const startsAt = Math.max(ends.at(-1) ?? 0, issue + 30);
    ends.push(startsAt + 5000);
    const returns = Math.max(issue + 45, (ends[step - ahead] ?? 0) + 5);
    at = returns + 10;
    return [
      mark(begin, returns - begin + 2),
      ...launch(issue, startsAt, 5000),
      call('cudaEventRecord', issue + 20, 5),
      call('cudaEventSynchronize', issue + 40, returns - issue - 40),
    ];
  }).flat();
}

/** Returns steps with three masks: each time the host waits for the number of their indices. */
const masked = () =>
  Array.from({ length: 4 }, (_, step) => {
    const at = 1000 + step * 1000;
    const layers = [100, 400, 700].flatMap((after) => {
      const from = at + after;
      const operator = (name: string, begin: number, us: number) => complete('cpu_op', name, begin, us);
      return [
        operator('aten::index', from, 120),
        operator('aten::nonzero', from + 5, 80),
        ...launch(from + 10, from + 20, 2),
        call('cudaMemcpyAsync', from + 24, 5),
        complete('gpu_memcpy', 'Memcpy DtoH (Device -> Pinned)', from + 30, 1, {
          correlation,
          device: 0,
          stream: 7,
          bytes: 4,
        }),
        call('cudaStreamSynchronize', from + 30, 5),
        ...launch(from + 60, from + 70, 2),
        ...launch(from + 100, from + 110, 20),
      ];
    });
    return [mark(at, 990), ...layers];
  }).flat();

/** Returns steps that wait for the stream of a copy of 2 ms, while the later kernel of 5 ms still runs. */
function streamsApart() {
  let free = 0;
  return Array.from({ length: 8 }, (_, step) => {
    const at = 1000 + step * 5000;
    const startsAt = Math.max(free, at + 60);
    free = startsAt + 5000;
    return [
      mark(at, 4990),
      ...copy(at + 20, at + 40, 2000, 20),
      ...launch(at + 40, startsAt, 5000),
      call('cudaStreamSynchronize', at + 60, 1990),
    ];
  }).flat();
}

/** Returns steps that wait for a copy of 3 ms, when the later kernel of 0.5 ms has already ended. */
const throughBefore = () =>
  Array.from({ length: 8 }, (_, step) => {
    const at = 1000 + step * 5000;
    return [
      mark(at, 4990),
      ...copy(at + 20, at + 40, 3000, 20),
      ...launch(at + 30, at + 50, 500),
      call('cudaEventSynchronize', at + 1000, 2045),
      complete('cpu_op', 'aten::work', at + 3050, 1900),
    ];
  }).flat();

const waitsOf = (run: Run) =>
  liftTrace(run.trace, 'waits').script.steps.map(({ items }) =>
    items.flatMap((item) => (item.kind === 'sync' ? [{ stream: item.stream, event: item.event }] : [])),
  );

describe.each([
  ['for the event of the step before', stepsAhead(1)],
  ['for the event of two steps before', stepsAhead(2)],
  ['for another stream than that of the last launch', streamsApart()],
])('a wait %s', (_, events) => {
  it('blocks the host in the replay for as long as it did', async () => {
    const { trace } = await read(traceOf(events));
    const { stepNs } = replay(liftTrace(trace, 'waits').script, costs);
    expect(Math.abs(stepNs / 5e6 - 1)).toBeLessThan(0.04);
  });

  it('removing a wait gains nothing if the device is never idle', async () => {
    const { plan } = traceAnswers(await read(traceOf(events)), costs);
    const ofWaits = plan.filter(({ changes }) => changes.some((word) => word.endsWith('-wait')));
    expect(ofWaits.filter(({ lowShare }) => lowShare > 0)).toEqual([]);
  });
});

it('a wait for another stream blocks the host in the replay for as long as it did', async () => {
  const { trace } = await read(traceOf(throughBefore()));
  const { script } = liftTrace(trace, 'waits');
  expect(Math.abs(replay(script, costs).stepNs / 5e6 - 1)).toBeLessThan(0.04);
});

describe('the cause of a wait', () => {
  it('is the event behind work that others followed in its stream, and null if that was in a step before', async () => {
    const waits = waitsOf(await read(traceOf(stepsAhead(1))));
    expect(waits.map(({ length }) => length)).toEqual([0, 1, 1, 1]);
    expect(waits[1]).toEqual([{ stream: expect.stringContaining('7'), event: expect.any(String) }]);
  });

  it('is the stream where the work is its last', async () => {
    const waits = waitsOf(await read(traceOf(streamsApart())));
    expect(waits[1]).toEqual([{ stream: expect.stringContaining('20'), event: undefined }]);
  });

  it('is all of the stream where that had ended', async () => {
    const events = Array.from({ length: 4 }, (_, step) => {
      const at = 1000 + step * 5000;
      return [
        mark(at, 4900),
        ...launch(at, at + 20, 1000, 20),
        ...launch(at + 10, at + 30, 4000),
        call('cudaStreamSynchronize', at + 40, 4000),
      ];
    });
    const waits = waitsOf(await read(traceOf(events.flat())));
    expect(waits[1]).toEqual([{ stream: expect.stringContaining('7'), event: undefined }]);
  });
});

it('a wait for a copy from the device stays one for the copy if that gets a stream of its own', async () => {
  const events = Array.from({ length: 4 }, (_, step) => {
    const at = 1000 + step * 5000;
    return [
      mark(at, 4900),
      ...launch(at + 2, at + 1001, 3000),
      call('cudaEventSynchronize', at + 10, 1000),
      ...copy(at + 1030, at + 4040, 1960, 7, 'Memcpy DtoH (Device -> Pinned)'),
    ];
  });
  const run = await read(traceOf(events.flat()));
  const { script } = liftTrace(run.trace, 'waits');
  const { steps } = applyChanges(script, ['other-stream'], assumptionsOf(script, knownMachine(costs)));
  const [sync] = steps[1]?.items.filter(({ kind }) => kind === 'sync') ?? [];
  const event = sync?.kind === 'sync' ? sync.event : undefined;
  const records = steps[0]?.items.filter((item) => item.kind === 'record' && item.event === event);
  expect(records).toEqual([expect.objectContaining({ stream: copyOut('stream:gpu0:7') })]);
});

/** A copy of 2 ms, a wait for it, after which its memory may be filled again, and a kernel of 1 ms. */
const events = Array.from({ length: 4 }, (_, step) => {
  const at = 1000 + step * 5000;
  return [
    mark(at, 4900),
    ...copy(at + 2, at + 10, 2000, 7),
    call('cudaStreamSynchronize', at + 10, 2005),
    ...launch(at + 2050, at + 2060, 1000),
  ];
});

it('a wait for a copy to the device waits for it if that gets a stream of its own too', async () => {
  const { script } = liftTrace((await read(traceOf(events.flat()))).trace, 'waits');
  const { steps } = applyChanges(script, ['other-stream'], assumptionsOf(script, knownMachine(costs)));
  const items = steps[1]?.items ?? [];
  const recorded = items.find((item) => item.kind === 'record' && item.stream === copyIn('stream:gpu0:7'));
  const event = recorded?.kind === 'record' ? recorded.event : undefined;
  const waited = items.findIndex((item) => item.kind === 'wait' && item.event === event);
  expect(waited).toBeGreaterThan(-1);
  expect(items.findIndex((item) => item.kind === 'sync')).toBeGreaterThan(waited);
});

describe('a wait behind which the host reads a result', () => {
  const resultsOf = (wait: string, last: readonly object[] = []) =>
    Array.from({ length: 4 }, (_, step) => {
      const at = 1000 + step * 5000;
      return [
        mark(at, 4900),
        ...launch(at + 2, at + 10, 2000),
        ...copy(at + 10, at + 2010, 1000, 7, 'Memcpy DtoH (Device -> Pinned)'),
        call(wait, at + 30, 2985),
        ...last.map((one) => ({ ...one, ts: at + 3100 })),
      ];
    }).flat();
  const kept = async (events: readonly object[]) => {
    const { script } = liftTrace((await read(traceOf(events))).trace, 'waits');
    const { steps } = applyChanges(script, ['remove-wait'], assumptionsOf(script, knownMachine(costs)));
    return steps[1]?.items.filter(({ kind }) => kind === 'sync').length;
  };

  it.each(['cudaStreamSynchronize', 'cudaEventSynchronize', 'cudaDeviceSynchronize'])(
    'is not removed: %s',
    async (wait) => {
      expect(await kept(resultsOf(wait))).toBe(1);
    },
  );

  it('is the first one alone: those behind it are', async () => {
    const again = complete('cuda_runtime', 'cudaDeviceSynchronize', 0, 20, { correlation: 999_999 });
    expect(await kept(resultsOf('cudaStreamSynchronize', [again]))).toBe(1);
  });
});

describe('a call that frees device memory', () => {
  /** A kernel of 3 ms, and a call that frees memory until `us` after its begin. */
  const freeing = (us: number) =>
    Array.from({ length: 4 }, (_, step) => {
      const at = 1000 + step * 4000;
      return [mark(at, 3990), ...launch(at + 2, at + 10, 3000), call('cudaFree', at + 100, us)];
    }).flat();
  const itemsOf = async (us: number, changes: readonly ('keep-memory' | 'remove-wait')[] = []) => {
    const { script } = liftTrace((await read(traceOf(freeing(us)))).trace, 'frees');
    const { steps } = applyChanges(script, changes, assumptionsOf(script, knownMachine(costs)));
    return steps[1]?.items ?? [];
  };
  const waits = (items: Awaited<ReturnType<typeof itemsOf>>) => items.filter(({ kind }) => kind === 'sync').length;

  it('waits for the device, and only a program that keeps its memory can leave that out', async () => {
    const work = (await itemsOf(3000)).find((item) => item.kind === 'work' && item.part === 'allocation');
    expect(work).toMatchObject({ ns: 90_000 });
    expect(waits(await itemsOf(3000))).toBe(1);
    expect(waits(await itemsOf(3000, ['remove-wait']))).toBe(1);
    expect(waits(await itemsOf(3000, ['keep-memory']))).toBe(0);
  });

  it('does not wait if it returned while the device still worked', async () => {
    expect(waits(await itemsOf(200))).toBe(0);
  });
});

it('removes with a wait the kernels that find what the host waits for', async () => {
  const { script } = liftTrace((await read(traceOf(masked()))).trace, 'masks');
  const assumed = assumptionsOf(script, knownMachine(costs));
  const launches = ({ items }: (typeof script.steps)[number]) => items.filter(({ kind }) => kind === 'launch').length;
  expect(script.steps.map(launches)).toEqual([9, 9, 9, 9]);
  expect(applyChanges(script, ['remove-wait'], assumed).steps.map(launches)).toEqual([3, 3, 3, 3]);
  expect(needsOf(script, ['remove-wait']).join()).toContain('aten::nonzero');
});
