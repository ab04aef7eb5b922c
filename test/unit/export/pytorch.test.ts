import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportFileName } from '../../../core/export/formats.ts';
import type { Run } from '../../../core/trace/run.ts';
import { complete, overlapTraces, read, traceBytes, traceOf } from '../import/support.ts';
import { runInfo, traceArbitrary } from '../trace/fixtures.ts';
import { exported, recordedRun, rowsTold, sorted, type ToldRow } from './support.ts';

const again = (run: Run, iteration?: number): Promise<Run> => read(exported(run, 'pytorch', iteration));

/** Compares columns, lanes and names. */
function requireEqual(found: Run, run: Run): void {
  expect(found.trace.lanes).toEqual(run.trace.lanes);
  expect(rowsTold(found)).toEqual(rowsTold(run));
}

describe('a trace of PyTorch’s profiler that was read', () => {
  it.each([...overlapTraces, 'resnet50.json.gz'])('is the same again: %s', async (file) => {
    const run = await read(traceBytes(file));
    const found = await again(run);
    requireEqual(found, run);
    const { device, versions, createdAt } = run.info;
    expect(found.info).toMatchObject({ device, versions, createdAt, status: 'complete' });
  });

  it('keeps waits with their records, and allocations with what was allocated before', async () => {
    const memory = (ts: number, bytes: number, total: number) => ({
      ph: 'i',
      s: 't',
      cat: 'cpu_instant_event',
      name: '[memory]',
      pid: 42,
      tid: 7,
      ts,
      args: { Bytes: bytes, 'Total Allocated': total, 'Device Type': 1, 'Device Id': 0 },
    });
    const wait = { wait_on_stream: 13, wait_on_cuda_event_record_corr_id: 3, wait_on_cuda_event_id: 1 };
    const run = await read(
      traceOf([
        complete('cpu_op', 'aten::copy_', 0, 20),
        complete('cuda_runtime', 'cudaMemcpyAsync', 1, 1, { correlation: 1 }),
        complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', 3, 30, {
          device: 0,
          stream: 13,
          correlation: 1,
          bytes: 64,
        }),
        memory(4, 512, 2048),
        complete('cuda_runtime', 'cudaEventRecord', 5, 1, { correlation: 3 }),
        complete('cuda_sync', 'Stream Wait Event', 7, 0, { device: 0, stream: 7, correlation: 4, ...wait }),
        complete('cuda_sync', 'Stream Wait Event', 8, 0, { device: 0, stream: 9, correlation: 6, ...wait }),
        complete('cuda_sync', 'Stream Wait Event', 9, 0, { device: 0, stream: 9, correlation: 7 }),
        complete('kernel', 'kernel', 33, 5, { device: 0, stream: 7, correlation: 5 }),
        complete('kernel', 'kernel', 40, 5, { device: 0, stream: 9, correlation: 8 }),
        memory(50, -512, 1536),
      ]),
    );
    expect(run.trace.names).toContain('[memory] before gpu0');
    expect(run.trace.names).toContain('event 1, record 3');
    requireEqual(await again(run), run);
  });

  it('keeps the ranks of a merged one apart, each with its work', async () => {
    const rank = (name: string, at: number) =>
      [
        complete('cuda_runtime', 'cudaMemcpyAsync', at, 1, { correlation: 1 }),
        complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', at + 3, 30, { device: 0, stream: 7, correlation: 1 }),
        complete('kernel', name, at + 40, 5, { device: 1, stream: 7, correlation: 2 }),
      ].map((event) => ({ ...event, pid: `[${name}] ${event.pid}` }));
    const run = await read(traceOf([...rank('TP00', 0), ...rank('TP01', 100)]));
    requireEqual(await again(run), run);
  });
});

/** Nanoseconds as the microseconds of a file, with every digit kept. */
const timeArbitrary = fc.nat({ max: 2_000_000 }).map((ns) => ns / 1000);
const callArbitrary = fc.constantFrom('cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaStreamSynchronize', 'cuLaunchKernel');
const copyArbitrary = fc.constantFrom(
  'Memcpy HtoD (Pinned -> Device)',
  'Memcpy DtoH (Device -> Pageable)',
  'Memcpy DtoD (Device -> Device)',
  'Memcpy PtoP (Device -> Device)',
  'Memcpy HtoD (Managed -> Device)',
);
const eventArbitrary = fc
  .record({
    kind: fc.constantFrom(
      'cpu_op',
      'python_function',
      'cuda_runtime',
      'kernel',
      'gpu_memcpy',
      'gpu_memset',
      'cuda_sync',
    ),
    ts: timeArbitrary,
    dur: timeArbitrary,
    call: callArbitrary,
    copy: copyArbitrary,
    words: fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }),
    tid: fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('a thread', '7.5')),
    device: fc.nat({ max: 2 }),
    stream: fc.nat({ max: 20 }),
    correlation: fc.nat({ max: 30 }),
    bytes: fc.nat(),
    record: fc.option(fc.nat({ max: 30 })),
  })
  .map(({ kind, ts, dur, call, copy, words, tid, device, stream, correlation, bytes, record }) => {
    const place = { device, stream, correlation };
    if (kind === 'cuda_sync') {
      const wait = { wait_on_stream: 3, wait_on_cuda_event_record_corr_id: record, wait_on_cuda_event_id: 5 };
      return complete(kind, 'Stream Wait Event', ts, 0, { ...place, ...(record === null ? {} : wait) }, stream);
    }
    if (kind === 'cuda_runtime') return complete(kind, call, ts, dur, { correlation }, tid);
    if (kind === 'gpu_memcpy') return complete(kind, copy, ts, dur, { ...place, bytes }, stream);
    if (kind === 'gpu_memset') return complete(kind, 'Memset (Device)', ts, dur, { ...place, bytes }, stream);
    if (kind === 'kernel') return complete(kind, words, ts, dur, place, stream);
    return complete(kind, words, ts, dur, {}, tid);
  });

it('any trace that was read has the same rows when it is read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(eventArbitrary, { minLength: 1, maxLength: 40 }), async (events) => {
      const run = await read(traceOf(events));
      const found = await again(run);
      const rows = (one: Run): string[] => sorted(rowsTold(one));
      expect(rows(found)).toEqual(rows(run));
    }),
    { numRuns: 100 },
  );
});

/** Kinds of rows that Kineto can express, on one axis of whole nanoseconds, with names and memories. */
const kinds: Readonly<Record<string, string>> = {
  'host-call': 'host-call',
  'host-sync': 'host-sync',
  'host-work': 'host-range',
  'host-read': 'host-range',
  'host-write': 'host-range',
  'host-range': 'host-range',
  copy: 'copy',
  kernel: 'kernel',
  memset: 'memset',
};
const memories: Readonly<Record<string, string>> = {
  'pinned-write-combined': 'pinned',
  mapped: 'pinned',
  registered: 'pinned',
  none: 'unknown',
};

function comparable(row: ToldRow): string[] {
  const kind = kinds[row.kind];
  if (kind === undefined) return [];
  const start = Math.floor(row.startNs);
  const isWork = !kind.startsWith('host-');
  return [
    JSON.stringify([
      // The name alone shows that a call waits.
      kind === 'host-sync' ? 'host-call' : kind,
      isWork ? '' : row.name,
      start,
      Math.floor(row.startNs + row.durationNs) - start,
      kind === 'host-range' ? 0 : row.correlation,
      isWork ? row.bytes : 0,
      kind === 'copy' ? [row.src, row.dst].map((memory) => memories[memory] ?? memory) : [],
    ]),
  ];
}

async function requireSame(run: Run): Promise<void> {
  const found = await again(run, 0);
  const rows = rowsTold(found).filter(({ name }) => !name.startsWith('ProfilerStep#'));
  const own = rowsTold(run).filter(({ iteration }) => iteration === 0);
  expect(rows.flatMap(comparable).sort()).toEqual(own.flatMap(comparable).sort());
}

describe('a run of ours as a profiler’s trace', () => {
  it.each([
    'overlap/pinned-side-stream',
    'races/unordered-streams-event',
    'lessons/two-gpus-two-threads',
    'lessons/copies-by-kind',
  ])('says the same of %s, as it was recorded', async (name) => {
    await requireSame(recordedRun(name));
  });

  it('is a trace that can be read, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(traceArbitrary, async (trace) => {
        const { status, error } = (await again({ info: runInfo(), trace })).info;
        expect({ status, error }).toEqual({ status: 'complete', error: undefined });
      }),
      { numRuns: 100 },
    );
  });
});

it('a run’s file is called as the run, in letters that every disk takes', () => {
  const called = (name: string) =>
    exportFileName({ experiment: { ...runInfo().experiment, name } as never }, 'perfetto');
  expect(called('Copy beside a kernel – 試験')).toBe('Copy beside a kernel 試験.perfetto-trace');
  expect(called('../../etc/passwd')).toBe('etc passwd.perfetto-trace');
  expect(called('///')).toBe('run.perfetto-trace');
});
