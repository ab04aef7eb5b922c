import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateSteps } from '../../../core/apps/gate/steps.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { verdicts } from '../../../core/explain/verdicts/verdicts.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { joinCalls } from '../../../core/trace/correlation.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { allRows } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { runInfoSchema } from '../../../core/trace/run.ts';
import { complete, modifiedAt, overlapTraces, read, rowsOf, traceBytes, traceOf } from './support.ts';

interface JsonEvent {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
  readonly args?: { readonly correlation?: number; readonly stream?: number; readonly bytes?: number };
}

/** Returns the events of the file's rows, read with JSON.parse. */
function parsedEvents(json: string): JsonEvent[] {
  const { traceEvents } = JSON.parse(json) as { traceEvents: JsonEvent[] };
  const shown = ['cpu_op', 'user_annotation', 'cuda_runtime', 'cuda_driver', 'kernel', 'gpu_memcpy', 'gpu_memset'];
  return traceEvents.filter(({ ph, cat }) => ph === 'X' && shown.includes(cat ?? ''));
}

describe('a recorded trace', () => {
  it.each([...overlapTraces, 'resnet50.json.gz'])('%s: has the rows that JSON.parse finds', async (file) => {
    const bytes = traceBytes(file);
    const json = file.endsWith('.gz')
      ? await new Response(
          new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip')),
        ).text()
      : new TextDecoder().decode(bytes);
    const run = await read(bytes);
    const events = parsedEvents(json);
    const first = Math.min(...events.map(({ ts }) => ts));
    const key = (name: string, startNs: number, durationNs: number, correlation: number, size: number): string =>
      [name, startNs.toFixed(0), durationNs.toFixed(0), correlation, size].join(' | ');
    // A double represents these microseconds to within a nanosecond, so the reference is rounded to one.
    const expected = events.map(({ name, ts, dur, cat, args = {} }) => {
      const onHost = cat === 'cpu_op' || cat === 'user_annotation';
      return key(name, (ts - first) * 1000, dur * 1000, onHost ? 0 : (args.correlation ?? 0), args.bytes ?? 0);
    });
    const rows = rowsOf(run)
      .filter(({ kind }) => kind !== 'event-wait')
      .map((row) => key(row.name, row.startNs, row.durationNs, row.correlation ?? 0, row.bytes));
    expect(rows.sort()).toEqual(expected.sort());
    const waits = rowsOf(run).length - events.length;
    expect(waits).toBe(json.match(/"cat": "cuda_sync", "name": "Stream Wait Event"/g)?.length ?? 0);
    expect(run.info.imported).toMatchObject({ format: 'pytorch-profiler', rows: events.length + waits });
    expect(runInfoSchema.parse(run.info)).toEqual(run.info);
  });

  it('says what it was recorded on, and when', async () => {
    const { info } = await read(traceBytes('trace_streamed1_pinned1.json'));
    expect(info.device).toMatchObject({ name: 'NVIDIA H200', computeCapability: '9.0', multiprocessors: 132 });
    expect(info.versions).toEqual({ copyscope: '1.2.3', driver: '13.0', runtime: '13.0', cupti: '130001' });
    expect(info.createdAt).toBe('2026-11-20T04:32:42.730Z');
    expect(info).toMatchObject({ status: 'complete', experiment: null, machine: null, timing: 'cupti' });
    expect(info.notes.join(' ')).toContain('32 ac2g, 5 cuda_sync');
  });

  it('joins every copy and kernel with its call', async () => {
    const { trace } = await read(traceBytes('resnet50.json.gz'));
    const joins = joinCalls(trace, allRows(trace));
    const names = new Map<string, number>();
    for (let row = 0; row < trace.count; row += 1) {
      const call = joins.callOf(row);
      if (call !== null) {
        const name = trace.names[trace.columns.name[call] ?? -1] ?? '';
        names.set(name, (names.get(name) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(names)).toEqual({
      cudaMemcpyAsync: 6,
      cudaMemsetAsync: 51,
      cuLaunchKernel: 186,
      cudaLaunchKernel: 1593,
      cudaLaunchKernelExC: 372,
      cudaStreamWaitEvent: 3,
    });
  });

  it('is the same whatever chunks it comes in', async () => {
    const bytes = traceBytes('trace_streamed1_pinned0.json');
    const whole = await read(bytes, bytes.length);
    for (const size of [1, 2, 3, 7, 64, 1000]) expect(await read(bytes, size)).toEqual(whole);
  });
});

describe('a wait of a stream for an event', () => {
  const call = (name: string, ts: number, correlation: number) =>
    complete('cuda_runtime', name, ts, 1, { correlation });
  const wait = (ts: number, known: object) =>
    complete('cuda_sync', 'Stream Wait Event', ts, 1, {
      ...{ stream: 7, device: 0, correlation: 4, wait_on_cuda_event_id: 9 },
      ...known,
    });
  const copy = complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', 2, 100, {
    ...{ device: 0, stream: 17, correlation: 1, bytes: 4096 },
  });
  const kernel = complete('kernel', 'k', 104, 50, { device: 0, stream: 7, correlation: 5 });
  const trace = (known: object) =>
    traceOf([
      call('cudaMemcpyAsync', 0, 1),
      copy,
      call('cudaEventRecord', 3, 3),
      call('cudaStreamWaitEvent', 5, 4),
      wait(5, known),
      call('cudaLaunchKernel', 7, 5),
      kernel,
    ]);
  const marksOf = (run: Run) =>
    rowsOf(run)
      .filter(({ kind }) => kind === 'event-wait' || kind === 'event-record')
      .map(({ kind, lane, startNs, name }) => [kind, lane.name, startNs, name]);
  const verdictOf = (run: Run) => verdicts(iterationOf(run.trace, 0), null)[0];

  it('stands where the next work of its stream began, its record where the work before it had ended', async () => {
    const run = await read(trace({ wait_on_stream: 17, wait_on_cuda_event_record_corr_id: 3 }));
    expect(marksOf(run)).toEqual([
      ['event-record', '17', 102_000, 'event 9, record 3'],
      ['event-wait', '7', 104_000, 'event 9, record 3'],
    ]);
    expect(verdictOf(run)).toMatchObject({ cause: 'event-dependency', rule: 'event-order', needsData: null });
    expect(verdictOf(run)?.explanation).not.toContain('does not say');
  });

  it('is named where the trace does not say which event, and nothing else explains the start', async () => {
    const run = await read(trace({ wait_on_stream: -1, wait_on_cuda_event_record_corr_id: -1 }));
    expect(marksOf(run)).toEqual([['event-wait', '7', 104_000, 'an event']]);
    expect(verdictOf(run)).toMatchObject({ cause: 'event-dependency', rule: 'event-order' });
    expect(verdictOf(run)?.explanation).toContain('The trace does not say which event');
    expect(run.info.notes.join(' ')).toContain('without saying which event');
  });

  it('leaves no copy of the recorded ResNet unexplained', async () => {
    const { trace: recorded } = await read(traceBytes('resnet50.json.gz'));
    const causes = verdicts(iterationOf(recorded, 0), null).map(({ cause }) => cause);
    expect(causes).toEqual([
      ...['issued-too-late', 'event-dependency', 'event-dependency', 'same-stream', 'same-stream', 'same-stream'],
    ]);
  });
});

describe('ranks merged into one file', () => {
  /** Returns a rank's recording: a copy and a wait for it, with numbers of the process itself. */
  const rankOf = (name: string, process: number, at: number) => {
    const place = { device: 0, correlation: 1 };
    const wait = { wait_on_stream: 17, wait_on_cuda_event_record_corr_id: 3, wait_on_cuda_event_id: 9 };
    const call = (word: string, ts: number, correlation: number) =>
      complete('cuda_runtime', `${word} ${name}`, at + ts, 1, { correlation }, process);
    return [
      call('cudaMemcpyAsync', 0, 1),
      complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', at + 2, 100, { ...place, stream: 17, bytes: 64 }, 17),
      complete('cuda_sync', 'Stream Wait Event', at + 5, 1, { ...place, stream: 7, correlation: 4, ...wait }),
      call('cudaLaunchKernel', 7, 5),
      complete('kernel', `k ${name}`, at + 104, 50, { ...place, stream: 7, correlation: 5 }),
      { ph: 'M', name: 'thread_name', pid: 0, tid: 17, ts: 0, args: { name: `stream 17 of ${name}` } },
    ].map((event) => ({ ...event, pid: 'cat' in event && event.cat === 'cuda_runtime' ? process : 0 }));
  };
  const merged = (name: string, process: number, at: number) =>
    rankOf(name, process, at).map((event) => ({ ...event, pid: `[${name}] ${event.pid}` }));
  /** Returns the work of each call, by its name. */
  const joinsOf = ({ trace }: Run): string[] => {
    const joins = joinCalls(trace, allRows(trace));
    return rowsOf({ trace } as Run).flatMap(({ kind, name }, row) =>
      kind === 'host-call'
        ? [`${name}: ${joins.activitiesOf(row).map((of) => rowsOf({ trace } as Run)[of]?.name)}`]
        : [],
    );
  };
  const joined = [
    'cudaMemcpyAsync TP00: Memcpy HtoD (Pinned -> Device)',
    'cudaLaunchKernel TP00: k TP00',
    'cudaMemcpyAsync TP01: Memcpy HtoD (Pinned -> Device)',
    'cudaLaunchKernel TP01: k TP01',
  ];
  const marksOf = (run: Run) =>
    rowsOf(run).flatMap(({ kind, lane, startNs, name }) =>
      kind.startsWith('event-') ? [`${kind} ${lane.id} ${startNs} ${name}`] : [],
    );

  it('stay apart', async () => {
    const run = await read(traceOf([...merged('TP00', 424, 0), ...merged('TP01', 425, 1000)]));
    expect(run.trace.lanes.map(({ id, name, device }) => [id, name, device])).toEqual([
      ['thread:[TP00] 424:424', '[TP00] thread 424', ''],
      ['thread:[TP01] 425:425', '[TP01] thread 425', ''],
      ['stream:[TP00]gpu0:7', '[TP00]gpu0 7', '[TP00]gpu0'],
      ['stream:[TP00]gpu0:17', '[TP00]gpu0 17 of TP00', '[TP00]gpu0'],
      ['stream:[TP01]gpu0:7', '[TP01]gpu0 7', '[TP01]gpu0'],
      ['stream:[TP01]gpu0:17', '[TP01]gpu0 17 of TP01', '[TP01]gpu0'],
      ['engine:[TP00]gpu0:h2d', '[TP00]gpu0 H2D engine', '[TP00]gpu0'],
      ['compute:[TP00]gpu0', '[TP00]gpu0 Compute', '[TP00]gpu0'],
      ['engine:[TP01]gpu0:h2d', '[TP01]gpu0 H2D engine', '[TP01]gpu0'],
      ['compute:[TP01]gpu0', '[TP01]gpu0 Compute', '[TP01]gpu0'],
    ]);
    expect(joinsOf(run)).toEqual(joined);
    expect(marksOf(run)).toEqual([
      'event-record stream:[TP00]gpu0:17 102000 event 9, record 3 of [TP00]',
      'event-wait stream:[TP00]gpu0:7 104000 event 9, record 3 of [TP00]',
      'event-record stream:[TP01]gpu0:17 1102000 event 9, record 3 of [TP01]',
      'event-wait stream:[TP01]gpu0:7 1104000 event 9, record 3 of [TP01]',
    ]);
    expect(run.info.notes.join(' ')).not.toContain('Several processes');
  });

  it.each([
    ['before the number', (name: string, pid: unknown) => `rank${name.at(-1)}_${pid}`],
    ['behind it', (name: string, pid: unknown) => `${pid}_rank${name.at(-1)}`],
  ])('stay apart where the rank stands %s', async (_, named) => {
    const as = (name: string, process: number, at: number) =>
      rankOf(name, process, at).map((event) => ({ ...event, pid: named(name, event.pid) }));
    const run = await read(traceOf([...as('TP00', 424, 0), ...as('TP01', 425, 1000)]));
    expect(joinsOf(run)).toEqual(joined);
    expect(run.trace.lanes.filter(({ kind }) => kind === 'stream')).toHaveLength(4);
  });

  it('threads and GPUs that differ only in names are not merged ranks', async () => {
    const events = rankOf('TP00', 424, 0).map((event) => ({ ...event, pid: event.pid === 0 ? 'GPU 0' : 'python 424' }));
    expect(joinsOf(await read(traceOf(events)))).toEqual(joined.slice(0, 2));
  });

  it('merged ranks are not joined if only their process numbers tell them apart', async () => {
    const run = await read(traceOf([...rankOf('TP00', 424, 0), ...rankOf('TP01', 10_425, 1000)]));
    expect(joinsOf(run)).toEqual(joined.map((line) => line.replace(/: .*/, ': ')));
    expect(marksOf(run).filter((mark) => mark.startsWith('event-wait'))).toEqual([
      'event-wait stream:gpu0:7 5000 an event',
      'event-wait stream:gpu0:7 1005000 an event',
    ]);
    expect(run.info.notes).toContain('Several processes use the same numbers: work is not joined with its calls.');
  });
});

describe('event kinds', () => {
  it('copies say direction and memory by their name, and lie on that direction’s engine', async () => {
    const copy = (name: string, stream: number) =>
      complete('gpu_memcpy', name, stream, 1, { device: 0, stream, bytes: 8 });
    const run = await read(
      traceOf([
        copy('Memcpy HtoD (Pageable -> Device)', 1),
        copy('Memcpy DtoH (Device -> Pinned)', 2),
        copy('Memcpy DtoD (Device -> Device)', 3),
        copy('Memcpy PtoP (Device -> Device)', 4),
        copy('Memcpy HtoD (Managed -> Device)', 5),
        copy('Memcpy (Unknown)', 6),
      ]),
    );
    expect(rowsOf(run).map(({ src, dst, engine, bytes }) => [src, dst, engine?.id ?? null, bytes])).toEqual([
      ['pageable', 'device', 'engine:gpu0:h2d', 8],
      ['device', 'pinned', 'engine:gpu0:d2h', 8],
      ['device', 'device', 'compute:gpu0', 8],
      ['device', 'device', 'engine:gpu0:peer', 8],
      ['unknown', 'device', 'engine:gpu0:h2d', 8],
      ['unknown', 'unknown', null, 8],
    ]);
  });

  it('calls that wait are host-sync, others host-call, operators and annotations ranges', async () => {
    const run = await read(
      traceOf([
        complete('cuda_runtime', 'cudaStreamSynchronize', 0, 1, { correlation: 1 }),
        complete('cuda_runtime', 'cudaMemcpy', 1, 1, { correlation: 2 }),
        complete('cuda_driver', 'cuCtxSynchronize', 2, 1),
        complete('cuda_runtime', 'cudaStreamSynchronizeLater', 3, 1),
        complete('cpu_op', 'aten::to', 4, 1),
        complete('python_function', 'train.py(3): step', 5, 1),
        complete('Operator', 'aten::mul', 6, 1),
      ]),
    );
    expect(rowsOf(run).map(({ kind }) => kind)).toEqual([
      'host-sync',
      'host-call',
      'host-sync',
      'host-call',
      'host-range',
      'host-range',
      'host-range',
    ]);
  });

  it('keeps nanoseconds where the clock counts from 1970, which doubles do not', async () => {
    const json = `{"traceEvents":[
      {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1795149162730127.472,"dur":0.001,"args":{"stream":7,"device":0}},
      {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":1795149162730127.473,"dur":1e-3,"args":{"stream":7,"device":0}}]}`;
    const run = await read(json);
    expect(rowsOf(run).map(({ startNs, durationNs }) => [startNs, durationNs])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(run.info.createdAt).toBe('2026-11-20T04:32:42.730Z');
  });

  it('a clock that says no date leaves the file’s', async () => {
    const run = await read(traceOf([complete('cpu_op', 'a', 17, 1)]));
    expect(run.info.createdAt).toBe(modifiedAt.toISOString());
  });

  it('names with escapes and other alphabets are read as JSON reads them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 20 }), async (names) => {
        const run = await read(traceOf(names.map((name, index) => complete('cpu_op', name, index, 1))), 5);
        expect(rowsOf(run).map(({ name }) => name)).toEqual(names);
      }),
    );
  });

  it('several devices have their own streams and engines', async () => {
    const on = (device: number) => complete('kernel', 'k', device, 1, { device, stream: 7 });
    const { trace } = await read(traceOf([on(1), on(0)]));
    expect(trace.lanes.map(({ id, name, device }) => [id, name, device])).toEqual([
      ['stream:gpu0:7', 'gpu0 7', 'gpu0'],
      ['stream:gpu1:7', 'gpu1 7', 'gpu1'],
      ['compute:gpu0', 'gpu0 Compute', 'gpu0'],
      ['compute:gpu1', 'gpu1 Compute', 'gpu1'],
    ]);
  });

  it('events without time or place, or of other kinds, are counted and said', async () => {
    const run = await read(
      traceOf([
        { ph: 'X', cat: 'cpu_op', name: 'no time', pid: 1, tid: 1 },
        { ph: 'X', cat: 'cpu_op', name: 'backwards', pid: 1, tid: 1, ts: 1, dur: -1 },
        { ph: 'X', cat: 'kernel', name: 'nowhere', ts: 1, dur: 1, pid: 'Spans' },
        { ph: 's', cat: 'ac2g', name: 'ac2g', ts: 1 },
        complete('cpu_op', 'good', 1, 1),
      ]),
    );
    expect(run.info.imported).toMatchObject({ events: 5, rows: 1 });
    expect(run.info.notes.join(' ')).toContain('3 events have no usable time or place');
    expect(run.info.notes.join(' ')).toContain('1 ac2g');
  });

  it('events at times beyond all counting are left out, and the others stay', async () => {
    const run = await read(
      traceOf([
        complete('cpu_op', 'late', 1e300, 1),
        complete('cpu_op', 'long', 1, 1e300),
        complete('kernel', 'k', 2, 1e17, { stream: 7, device: 0 }),
        complete('cpu_op', 'good', 1, 1),
      ]),
    );
    expect(run.info.status).toBe('complete');
    expect(rowsOf(run)).toMatchObject([{ name: 'good', startNs: 0, durationNs: 1000 }]);
    expect(run.info.notes.join(' ')).toContain('3 events have no usable time or place');
  });

  it('reads a list of events without an object around it, and without its last bracket', async () => {
    const events = [complete('cpu_op', 'a', 1, 1), complete('cpu_op', 'b', 2, 1)];
    for (const json of [JSON.stringify(events), JSON.stringify(events).slice(0, -1)]) {
      const run = await read(json);
      expect(run.info.status).toBe('complete');
      expect(rowsOf(run).map(({ name }) => name)).toEqual(['a', 'b']);
    }
  });
});

const packed = (text: string): Uint8Array => new Uint8Array(gzipSync(text));
const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

describe('a damaged file', () => {
  const events = [complete('cpu_op', 'a', 1, 1), complete('kernel', 'k', 2, 1, { device: 0, stream: 7 })];
  const json = traceOf(events, { schemaVersion: 1, deviceProperties: [{ id: 0, name: 'GPU' }] });

  it('gives what is before the place where it breaks off, wherever that is', async () => {
    const first = json.indexOf('"traceEvents":[') + '"traceEvents":['.length;
    const ends = events.map((_, index) => first + JSON.stringify(events.slice(0, index + 1)).length - 2);
    for (let length = 0; length < json.length; length += 1) {
      const run = await read(json.slice(0, length)).catch((error: unknown) => error);
      if (length < first) {
        expect(run).toBeInstanceOf(CopyscopeError);
        expect(run).toMatchObject({ code: 'trace-file.not-a-trace' });
        continue;
      }
      const whole = ends.filter((end) => length >= end).length;
      expect(run).toMatchObject({
        info: {
          status: 'failed',
          error: { code: 'trace-file.truncated', field: `byte ${length}, line 1` },
          imported: { events: whole },
        },
        trace: { count: whole },
      });
    }
  });

  it('that is cut after its first event is not said to lack what was not read', async () => {
    const run = await read(json.slice(0, json.indexOf('"kernel"')));
    expect(run).toMatchObject({ info: { status: 'failed' }, trace: { count: 1 } });
    expect(run.info.notes).toContain('The part that could be read contains no GPU activity.');
    expect(run.info.notes.join(' ')).not.toContain('profile with');
    const remedy = run.info.error?.remedy ?? '';
    expect(remedy).toContain('Copy the file again');
    const refused = expect.objectContaining({ remedy });
    expect(() => liftTrace(run.trace, 'test', { error: run.info.error })).toThrow(refused);
    expect(() => gateSteps(run, null)).toThrow(refused);
  });

  it('says at which byte and line it stops being JSON', async () => {
    const bad = `{"traceEvents": [\n${JSON.stringify(events[0])},\n{"ph": "X", "name" "b"}]}`;
    const run = await read(bad);
    const byte = bad.indexOf('"b"');
    expect(run.info.error).toMatchObject({ code: 'trace-file.malformed', field: `byte ${byte}, line 3` });
    expect(run.trace.count).toBe(1);
    expect(await read(bad, 3)).toEqual(run);
  });

  it.each([
    ['an unclosed bracket inside', '{"ph":"X","args":{"grid":[1,2}}'],
    ['two commas', '{"ph":"X",,"name":"b"}'],
    ['a bare word', '{"ph":"X","x":undefined}'],
    ['a control character in a string', '{"ph":"X","name":"a\u0001"}'],
    ['no event', '17'],
    ['a number without digits', '{"ts":-}'],
    ['too deep', `{"x":${'['.repeat(300)}`],
  ])('%s: keeps the events before it', async (_, event) => {
    const run = await read(`{"traceEvents":[${JSON.stringify(events[0])},${event}]}`);
    expect(run.info).toMatchObject({ status: 'failed', error: { code: 'trace-file.malformed' } });
    expect(run.trace.count).toBe(1);
  });

  it.each([
    ['nothing', ''],
    ['an experiment', '{"format":"copyscope/experiment"}'],
    ['text', 'hello'],
    ['an Arrow file', 'ARROW1\0\0'],
  ])('%s is not a trace', async (_, content) => {
    await expect(read(content)).rejects.toMatchObject({ code: 'trace-file.not-a-trace' });
  });

  it.each([
    ['a second document', json],
    ['letters', ' x'],
    ['a NUL', '\0'],
    ['a bracket', '\n]'],
  ])('with %s behind it is read up to there, and a note says where', async (_, more) => {
    const whole = await read(json);
    const place = `byte ${json.length + more.search(/\S/)}, line ${more.startsWith('\n') ? 2 : 1}`;
    const note = `Content after the trace is left out: the trace ends before ${place}, and more follows.`;
    for (const size of [undefined, 1]) {
      const run = await read(`${json}${more}`, size);
      expect(run.info).toEqual({ ...whole.info, notes: [...whole.info.notes, note] });
      expect(run.trace).toEqual(whole.trace);
    }
    expect((await read(`${json} \n\t`)).info).toEqual(whole.info);
  });

  describe('gzipped', () => {
    const many = traceOf(
      Array.from({ length: 3000 }, (_, index) => complete('cpu_op', `op ${index * 7919}`, index, 1)),
    );
    const half = Math.floor(many.length / 2);
    const [small, nothing] = [packed(json), packed('')];
    const [before, behind] = [packed(many.slice(0, half)), packed(many.slice(half))];
    /** In one part, and in many. */
    const parts = [undefined, 7];

    it('in several members is read as one', async () => {
      const whole = await read(many);
      for (const size of parts) {
        for (const file of [
          [before, behind],
          [nothing, before, nothing, nothing, behind, nothing],
          // Padding of a tape's last block.
          [before, behind, new Uint8Array(100)],
        ]) {
          const run = await read(joined(file), size);
          expect(run.info).toEqual(whole.info);
          expect(run.trace).toEqual(whole.trace);
        }
      }
    });

    it('wherever it is damaged gives most of what is before, however short it is', async () => {
      const text = traceOf(
        Array.from({ length: 40 }, (_, index) => complete('cpu_op', `op ${index * 7919}`, index * 17, index)),
      );
      const whole = packed(text);
      for (let at = Math.floor(0.6 * whole.length); at < whole.length - 1; at += 1) {
        const wrong = whole.slice();
        for (const byte of [at, at + 1]) wrong[byte] = 255 - (wrong[byte] ?? 0);
        const { info, trace } = await read(wrong);
        expect(info.status).toBe('failed');
        expect(trace.count).toBeGreaterThan(10);
      }
    });

    it('and cut off anywhere gives what is before, or is no trace', async () => {
      let most = 0;
      for (let length = 0; length < small.length; length += 1) {
        const run = await read(small.subarray(0, length)).catch((error: unknown) => error);
        if (run instanceof CopyscopeError) expect(run.code).toBe('trace-file.not-a-trace');
        else expect(run).toMatchObject({ info: { status: 'failed', error: { code: 'trace-file.truncated' } } });
        const count = run instanceof CopyscopeError ? 0 : (run as Run).trace.count;
        expect(count).toBeGreaterThanOrEqual(most);
        most = count;
      }
      expect(most).toBe(events.length);
    });
  });
});
