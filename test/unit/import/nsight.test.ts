/** Features of Nsight Systems' exports that may be present or missing, one each, in small databases. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNsightDatabase } from '../../../core/import/nsight/nsightTrace.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import type { Item } from '../../../core/lift/script.ts';
import type { Run } from '../../../core/trace/run.ts';
import { withSqliteFile } from '../../../host/library/imports/sqliteFile.ts';
import { newFolder } from '../../support/newFolder.ts';
import {
  globalId,
  made,
  modifiedAt,
  read,
  recorded,
  recordedBytes,
  strings,
  table,
  type Value,
} from './nsightSupport.ts';
import { rowsOf } from './support.ts';

const folder = newFolder();
const readSql = (...statements: readonly string[]): Promise<Run> => read(made(folder, statements.join('\n')));
const shown = (run: Run): string[] =>
  rowsOf(run).map((row) => `${row.kind} ${row.name} @${row.startNs}+${row.durationNs}`);

const names = strings(
  'cudaLaunchKernel_v7000',
  'cudaMemcpyAsync_v3020',
  'cudaStreamSynchronize_v3020',
  'add<float>',
  'add',
);
type Row = Readonly<Record<string, Value>>;

const call = (name: string, start: Value, end: Value, correlationId: Value, more: Row = {}): Row => ({
  start,
  end,
  globalTid: globalId(42, 43),
  correlationId,
  nameId: names.id(name),
  ...more,
});
const kernel = (start: Value, end: Value, correlationId: Value, more: Row = {}): Row => ({
  start,
  end,
  deviceId: 0,
  streamId: 7,
  correlationId,
  globalPid: globalId(42),
  demangledName: names.id('add<float>'),
  shortName: names.id('add'),
  ...more,
});
const copy = (start: Value, end: Value, correlationId: Value, more: Row = {}): Row => ({
  start,
  end,
  deviceId: 0,
  streamId: 7,
  correlationId,
  globalPid: globalId(42),
  bytes: 1000,
  copyKind: 1,
  srcKind: 0,
  dstKind: 2,
  ...more,
});
const runtime = (...rows: readonly Row[]): string => table('CUPTI_ACTIVITY_KIND_RUNTIME', rows);
const kernels = (...rows: readonly Row[]): string => table('CUPTI_ACTIVITY_KIND_KERNEL', rows);
const copies = (...rows: readonly Row[]): string => table('CUPTI_ACTIVITY_KIND_MEMCPY', rows);

describe('tables and columns', () => {
  it('tables and columns of a later version are read as well', async () => {
    const run = await readSql(names.sql, kernels(kernel(10, 20, 1)).replaceAll('_KERNEL', '_KERNEL_V3'));
    expect(shown(run)).toEqual(['kernel add<float> @0+10']);
    expect(run.info.status).toBe('complete');
  });

  it('may be no more than those that a row needs', async () => {
    const bare = { start: 10, end: 20, deviceId: 1, streamId: 3 };
    const run = await readSql(kernels(bare), runtime({ start: 1, end: 2, globalTid: globalId(42, 43), nameId: 1 }));
    expect(shown(run)).toEqual(['host-call (unnamed) @0+1', 'kernel (unnamed) @9+10']);
    expect(run.info).toMatchObject({ device: null, createdAt: modifiedAt.toISOString(), status: 'complete' });
  });

  it('rows without a needed column are left out, and counted', async () => {
    const run = await readSql(
      names.sql,
      table('CUPTI_ACTIVITY_KIND_MEMCPY', [{ start: 1, end: 2 }]),
      kernels(kernel(10, 20, 1)),
    );
    expect(shown(run)).toEqual(['kernel add<float> @0+10']);
    expect(run.info).toMatchObject({
      status: 'failed',
      error: { code: 'trace-file.malformed', field: 'CUPTI_ACTIVITY_KIND_MEMCPY' },
    });
    expect(run.info.error?.message).toContain('it has no column deviceId, streamId, bytes, copyKind');
  });

  it('unrelated tables make no trace', async () => {
    await expect(readSql(table('bookmarks', [{ url: 'x' }]))).rejects.toMatchObject({ code: 'trace-file.not-a-trace' });
  });
});

describe('kinds', () => {
  it('mean what the file itself says', async () => {
    const enums = [
      table('ENUM_CUDA_MEM_KIND', [
        { id: 5, name: 'CUDA_MEMOPR_MEMORY_KIND_PINNED' },
        { id: 6, name: 'CUDA_MEMOPR_MEMORY_KIND_DEVICE' },
      ]),
      table('ENUM_CUDA_MEMCPY_OPER', [{ id: 9, name: 'CUDA_MEMCPY_KIND_DTOH' }]),
    ];
    const run = await readSql(...enums, copies(copy(1, 2, 1, { copyKind: 9, srcKind: 6, dstKind: 5 })));
    expect(rowsOf(run)[0]).toMatchObject({
      name: 'Memcpy DtoH (Device -> Pinned)',
      src: 'device',
      dst: 'pinned',
      bytes: 1000,
    });
    expect(run.trace.lanes.map(({ id }) => id)).toContain('engine:gpu0:d2h');
  });

  it('are Nsight Systems’ own where it does not say', async () => {
    const kinds = [
      [1, 0, 2],
      [1, 1, 2],
      [2, 2, 1],
      [8, 2, 2],
      [11, 4, 4],
      [0, 7, 99],
    ].map(([copyKind = 0, srcKind = 0, dstKind = 0], index) =>
      copy(index, index + 1, index + 1, { copyKind, srcKind, dstKind }),
    );
    expect(rowsOf(await readSql(copies(...kinds))).map(({ name, src, dst }) => [name, src, dst])).toEqual([
      ['Memcpy HtoD (Pageable -> Device)', 'pageable', 'device'],
      ['Memcpy HtoD (Pinned -> Device)', 'pinned', 'device'],
      ['Memcpy DtoH (Device -> Pinned)', 'device', 'pinned'],
      ['Memcpy DtoD (Device -> Device)', 'device', 'device'],
      ['Memcpy HtoD (Managed)', 'unknown', 'unknown'],
      ['Memcpy (Unknown -> Unknown)', 'unknown', 'unknown'],
    ]);
  });

  it('kinds of streams are written with their names', async () => {
    const flags = [1, 2, 3, 0].map((flag, streamId) => ({ streamId, processId: 42, flag }));
    const work = flags.map(({ streamId }) => kernel(streamId, streamId + 1, streamId + 1, { streamId }));
    const run = await readSql(table('TARGET_INFO_CUDA_STREAM', flags), kernels(...work));
    const streams = run.trace.lanes.filter(({ kind }) => kind === 'stream').map(({ name }) => name);
    expect(streams).toEqual(['0 (blocking)', '1 (non-blocking)', '2 (default stream)', '3']);
  });
});

describe('numbers', () => {
  it('times beyond 2^53 are exact', async () => {
    const base = 1_780_000_000_000_000_000n;
    const run = await readSql(
      names.sql,
      kernels(kernel(base + 1001n, base + 1003n, 1)),
      runtime(call('cudaLaunchKernel_v7000', base, base + 7n, 1)),
    );
    expect(shown(run)).toEqual(['host-call cudaLaunchKernel @0+7', 'kernel add<float> @1001+2']);
  });

  it('numbers of calls are joined within their process', async () => {
    const other = { globalTid: globalId(50, 51) };
    const run = await readSql(
      names.sql,
      runtime(call('cudaLaunchKernel_v7000', 0, 5, 100), call('cudaMemcpyAsync_v3020', 1, 6, 100, other)),
      kernels(kernel(10, 20, 100)),
      copies(copy(10, 30, 100, { globalPid: globalId(50) })),
    );
    const rows = rowsOf(run);
    const of = (kind: string, name: string) => rows.find((row) => row.kind === kind && row.name.startsWith(name));
    expect(of('kernel', 'add')?.correlation).toBe(of('host-call', 'cudaLaunch')?.correlation);
    expect(of('copy', 'Memcpy')?.correlation).toBe(of('host-call', 'cudaMemcpy')?.correlation);
    expect(of('copy', 'Memcpy')?.correlation).not.toBe(of('kernel', 'add')?.correlation);
    // One device, one stream number, two processes: two streams.
    expect(run.trace.lanes.map(({ id, name }) => `${id} = ${name}`)).toEqual([
      'thread:42:43 = process 42, thread 43',
      'thread:50:51 = process 50, thread 51',
      'stream:gpu0:7 = 7',
      'stream:gpu0:7:p50 = 7 of process 50',
      'engine:gpu0:h2d = H2D engine',
      'compute:gpu0 = Compute',
    ]);
  });

  it('devices are numbered as the machine does, even if a process sees only some', async () => {
    const gpus = [0, 1].map((id) => ({
      id,
      name: `GPU ${id}`,
      smCount: 132,
      totalMemory: 8_000_000_000,
      computeMajor: 9,
      computeMinor: 0,
    }));
    const run = await readSql(
      table('TARGET_INFO_GPU', gpus),
      table('TARGET_INFO_CUDA_DEVICE', [{ gpuId: 1, cudaId: 0, pid: 42 }]),
      kernels(kernel(1, 2, 1)),
    );
    expect(run.info.device).toMatchObject({ index: 1, name: 'GPU 1', multiprocessors: 132, computeCapability: '9.0' });
    expect(run.trace.lanes.map(({ device }) => device)).toEqual(['gpu1', 'gpu1']);
  });
});

describe('host rows', () => {
  it('has NVTX ranges, nested, by their text or its number, without what emit_nvtx adds', async () => {
    const ids = strings('step');
    const range = (start: number, end: Value, eventType: number, more: Row): Row => ({
      start,
      end,
      eventType,
      globalTid: globalId(42, 43),
      text: null,
      textId: null,
      ...more,
    });
    const run = await readSql(
      ids.sql,
      table('NVTX_EVENTS', [
        range(20, 30, 59, { text: 'aten::to, seq = 4, op_id = 12' }),
        range(10, 50, 60, { textId: ids.id('step') }),
        range(40, null, 34, { text: 'loss' }),
        range(45, null, 59, { text: 'never closed' }),
        range(0, null, 75, { text: 'a domain' }),
      ]),
    );
    expect(shown(run)).toEqual(['host-range step @0+40', 'host-range aten::to @10+10', 'host-range loss @30+0']);
    expect(run.info.notes.join(' ')).toContain('1 events have no usable time or place, or no end');
  });

  it('has the waits of the operating system, which are no steps of the program', async () => {
    const ids = strings('poll', 'cudaLaunchKernel_v7000');
    const waits = [0, 100, 200].map((start) => ({
      start,
      end: start + 90,
      globalTid: globalId(42, 43),
      nameId: ids.id('poll'),
    }));
    const launches = [10, 110, 210].map((start, index) =>
      call('', start, start + 5, index + 1, { nameId: ids.id('cudaLaunchKernel_v7000') }),
    );
    const work = launches.map((_, index) => kernel(index * 100 + 20, index * 100 + 30, index + 1));
    const run = await readSql(ids.sql, table('OSRT_API', waits), runtime(...launches), kernels(...work));
    expect(shown(run)[0]).toBe('host-range OS runtime: poll @0+90');
    expect(liftTrace(run.trace, 'test').found.rule).not.toContain('poll');
  });

  it('has the stacks of calls, whose lines a plan names', async () => {
    const ids = strings(
      'cudaMemcpyAsync_v3020',
      'main',
      'load',
      '/home/me/train.py:44',
      'at::copy_',
      '/opt/libtorch_cuda.so',
    );
    const frame = (stackDepth: number, symbol: string, module: string) => ({
      id: 9,
      symbol: ids.id(symbol),
      module: ids.id(module),
      stackDepth,
    });
    const run = await readSql(
      ids.sql,
      table('CUDA_CALLCHAINS', [
        frame(0, 'at::copy_', '/opt/libtorch_cuda.so'),
        frame(2, 'main', '/opt/libtorch_cuda.so'),
        frame(1, 'load', '/home/me/train.py:44'),
      ]),
      runtime(call('', 10, 20, 1, { nameId: 1, callchainId: 9 })),
      copies(copy(12, 18, 1)),
    );
    expect(shown(run)).toEqual([
      'host-range [libtorch_cuda.so] main @0+10',
      'host-range /home/me/train.py(44): load @0+10',
      'host-range [libtorch_cuda.so] at::copy_ @0+10',
      'host-call cudaMemcpyAsync @0+10',
      'copy Memcpy HtoD (Pageable -> Device) @2+6',
    ]);
    const items: readonly Item[] = liftTrace(run.trace, 'test').script.steps[0]?.items ?? [];
    const lines = items.flatMap((item) => (item.kind === 'copy' ? [item.line] : []));
    expect(lines).toEqual(['/home/me/train.py:44 in load']);
  });
});

const mostRows = 100;
const readSome = (...statements: readonly string[]): Promise<Run> =>
  withSqliteFile(made(folder, [names.sql, ...statements].join('\n')), (database) =>
    readNsightDatabase(database, {
      name: 'test',
      version: '1.2.3',
      modifiedAt,
      mostRows,
      pause: () => Promise.resolve(),
    }),
  );
const frames = (count: number): string =>
  table(
    'CUDA_CALLCHAINS',
    Array.from({ length: count }, (_, stackDepth) => ({ id: 9, symbol: 5, module: 5, stackDepth })),
  );
const launches = (count: number, withStack: (index: number) => boolean): string =>
  runtime(
    ...Array.from({ length: count }, (_, index) =>
      call('cudaLaunchKernel_v7000', index * 10, index * 10 + 5, index + 1, {
        callchainId: withStack(index) ? 9 : null,
      }),
    ),
  );
const countOf = (run: Run, kind: string): number => rowsOf(run).filter((row) => row.kind === kind).length;

it('stacks of calls leave room for what the device did', async () => {
  const work = Array.from({ length: 20 }, (_, index) => kernel(index * 10 + 6, index * 10 + 9, index + 1));
  const run = await readSome(
    frames(10),
    launches(20, () => true),
    kernels(...work),
  );
  // A quarter of the rows: two stacks of ten.
  expect(['host-range', 'host-call', 'kernel'].map((kind) => countOf(run, kind))).toEqual([20, 20, 20]);
  expect(run.info.status).toBe('complete');
  expect(run.info.notes.join(' ')).toContain('Stacks of 18 calls are left out');
});

describe('graphs', () => {
  it('have their nodes under the launch that they came from', async () => {
    const ids = strings('cudaGraphLaunch_v10000', 'add<float>');
    const node = (start: number, graphNodeId: number) => kernel(start, start + 5, 7, { demangledName: 2, graphNodeId });
    const run = await readSql(
      ids.sql,
      runtime(call('', 0, 4, 7, { nameId: 1 })),
      kernels(node(10, 1), node(20, 2)),
      copies(copy(30, 31, 7, { graphNodeId: 3, srcKind: 1 })),
    );
    const rows = rowsOf(run);
    expect(new Set(rows.map(({ correlation }) => correlation)).size).toBe(1);
    const launch = liftTrace(run.trace, 'test').script.steps[0]?.items.find(({ kind }) => kind === 'launch');
    expect(launch).toMatchObject({ name: 'graph of 3 nodes', nodes: 3, deviceNs: 21 });
  });

  it('a graph that was recorded whole is one activity, and a note says so', async () => {
    const graph = {
      start: 10,
      end: 90,
      deviceId: 0,
      streamId: 7,
      correlationId: 1,
      globalPid: globalId(42),
      graphId: 12,
    };
    const run = await readSql(table('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', [graph]));
    expect(shown(run)).toEqual(['kernel CUDA graph 12 @0+80']);
    expect(run.info.notes.join(' ')).toContain('1 launches of CUDA graphs were recorded whole');
  });
});

describe('waits of streams for events', () => {
  const work = kernels(kernel(100, 200, 1), kernel(210, 300, 4, { streamId: 8 }));
  const wait = (eventSyncId: Value) =>
    table('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', [
      {
        start: 20,
        end: 21,
        deviceId: 0,
        streamId: 8,
        correlationId: 3,
        globalPid: globalId(42),
        syncType: 2,
        eventSyncId,
      },
      {
        start: 22,
        end: 400,
        deviceId: 0,
        streamId: 7,
        correlationId: 5,
        globalPid: globalId(42),
        syncType: 3,
        eventSyncId: 0,
      },
    ]);
  const event = (timestamp: Value) =>
    table('CUPTI_ACTIVITY_KIND_CUDA_EVENT', [
      { timestamp, deviceId: 0, streamId: 7, correlationId: 2, globalPid: globalId(42), eventId: 6, eventSyncId: 77 },
    ]);
  const marks = (run: Run): string[] => shown(run).filter((row) => row.startsWith('event-'));

  it('are exact where the events were recorded, and when the device reached them', async () => {
    expect(marks(await readSql(names.sql, work, event(205), wait(77)))).toEqual([
      'event-record event 6, record 2 @105+0',
      'event-wait event 6, record 2 @110+0',
    ]);
  });

  it('are placed by the work around them where only the events are known', async () => {
    expect(marks(await readSql(names.sql, work, event(0), wait(77)))).toEqual([
      'event-record event 6, record 2 @100+0',
      'event-wait event 6, record 2 @110+0',
    ]);
  });

  it('are for an event that nobody knows where they were not', async () => {
    const run = await readSql(names.sql, work, wait(4_294_967_295));
    expect(marks(run)).toEqual(['event-wait an event @110+0']);
    expect(run.info.notes.join(' ')).toContain('nsys profile --cuda-event-trace=true');
  });
});

describe('a file', () => {
  it('that breaks off is read as far as it goes', async () => {
    const path = recorded(folder, 'h100_2gpu_1s');
    truncateSync(path, 1_200_000);
    const run = await read(path);
    expect(run.info).toMatchObject({ status: 'failed', error: { code: 'trace-file.truncated' } });
    const whole = await read(recorded(folder, 'h100_2gpu_1s'));
    expect(run.trace.count).toBeGreaterThan(whole.trace.count / 4);
    expect(run.trace.count).toBeLessThan(whole.trace.count);
  });

  it('that is written with a write-ahead log is read, and stays as it is', async () => {
    const path = join(folder, 'log.sqlite');
    const bytes = recordedBytes('mock');
    bytes.set([2, 2], 18);
    writeFileSync(path, bytes, { mode: 0o400 });
    expect(await read(path)).toMatchObject({ info: { status: 'complete' }, trace: { count: 13 } });
    expect(Buffer.compare(readFileSync(path), bytes)).toBe(0);
  });

  it('a file that is no database is refused by name', async () => {
    const path = join(folder, 'text.sqlite');
    writeFileSync(path, 'SQLite format 3\0 and then nothing of it');
    await expect(read(path)).rejects.toMatchObject({ code: 'trace-file.malformed' });
  });
});

it('a lifted experiment has the events that the trace tells, not those that a rule would find', async () => {
  const ids = strings('cudaLaunchKernel_v7000', 'cudaEventRecord_v3020', 'cudaStreamWaitEvent_v3020', 'k');
  const made = (name: string, start: number, correlationId: number) =>
    call('', start, start + 2, correlationId, { nameId: ids.id(name) });
  const work = (start: number, correlationId: number, streamId: number) =>
    kernel(start, start + 50, correlationId, { streamId, demangledName: ids.id('k') });
  const onDevice = { deviceId: 0, globalPid: globalId(42) };
  const run = await readSql(
    ids.sql,
    runtime(
      made('cudaLaunchKernel_v7000', 0, 1),
      made('cudaEventRecord_v3020', 10, 2),
      made('cudaLaunchKernel_v7000', 20, 3),
      made('cudaEventRecord_v3020', 30, 4),
      made('cudaStreamWaitEvent_v3020', 40, 5),
      made('cudaLaunchKernel_v7000', 50, 6),
    ),
    kernels(work(100, 1, 7), work(160, 3, 8), work(300, 6, 9)),
    table('CUPTI_ACTIVITY_KIND_CUDA_EVENT', [
      { timestamp: 150, streamId: 7, correlationId: 2, eventId: 1, eventSyncId: 11, ...onDevice },
    ]),
    table('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', [
      { start: 40, end: 41, streamId: 9, correlationId: 5, syncType: 2, eventSyncId: 11, ...onDevice },
    ]),
  );
  const { items } = liftTrace(run.trace, 'test').script.steps[0] ?? { items: [] };
  // Records and waits named 'after' keep the streams' order, which the program didn't ask for.
  const marks = items.filter(
    (item) => (item.kind === 'record' || item.kind === 'wait') && !item.event.startsWith('after-'),
  );
  // By the rule it would be the latest record, in stream 8.
  expect(marks).toMatchObject([
    { kind: 'record', stream: 'stream:gpu0:7' },
    { kind: 'wait', stream: 'stream:gpu0:9' },
  ]);
  expect(new Set(marks.map((mark) => ('event' in mark ? mark.event : '')))).toHaveProperty('size', 1);
});
