import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateSteps } from '../../../../core/apps/gate/steps.ts';
import { CopyscopeError } from '../../../../core/errors.ts';
import { readRecording } from '../../../../core/import/recorded/recording.ts';
import { readRecordingFile } from '../../../../core/import/recorded/recordingFile.ts';
import { callRoles, problems, recordKinds } from '../../../../core/import/recorded/records.ts';
import { liftTrace } from '../../../../core/lift/fromTrace.ts';
import { plainStepNs } from '../../../../core/lift/profilerCost.ts';
import { decodeRun, encodeRun } from '../../../../core/trace/arrow.ts';
import { readCallStackName } from '../../../../core/trace/callStack.ts';
import type { Run } from '../../../../core/trace/run.ts';
import { rowsOf } from '../support.ts';
import { RecordingBytes, start, steps } from './recordingBytes.ts';

const read = (...files: Uint8Array[]): Run =>
  readRecording(files, { name: 'train', version: '1.2.3', modifiedAt: new Date(0) });
const kinds = (run: Run): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { kind } of rowsOf(run)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

describe('a recording', () => {
  const run = read(steps(6).bytes());

  it('becomes a run with a row for each record, joined by correlation', () => {
    expect(run.info).toMatchObject({ status: 'complete', imported: { format: 'copyscope-record', name: 'train' } });
    expect(run.info.device).toMatchObject({ name: 'Test GPU', computeCapability: '9.0', multiprocessors: 132 });
    // Ranges: a step, and the stacks of a copy and a wait.
    expect(kinds(run)).toEqual({ 'host-call': 12, 'host-sync': 6, 'host-range': 18, copy: 6, kernel: 6 });
    const copy = rowsOf(run).find(({ kind }) => kind === 'copy');
    expect(copy).toMatchObject({ bytes: 1 << 20, src: 'pageable', dst: 'device', channel: 3, durationNs: 24_000 });
    const { lanes } = run.trace;
    expect(lanes.map(({ id }) => id)).toEqual(['thread:100:100', 'stream:gpu0:7', 'engine:gpu0:h2d', 'compute:gpu0']);
  });

  it('keeps the address in host memory of each copy, also in its file, and none of calls that tell none', () => {
    const recorded = read(steps(3, {}, (step) => 2 ** 46 - 4096 * step).bytes());
    for (const { trace } of [recorded, decodeRun(encodeRun(recorded))]) {
      const copies = rowsOf({ ...recorded, trace }).flatMap(({ kind }, row) => (kind === 'copy' ? [row] : []));
      expect(copies.map((row) => trace.columns.hostAddress?.[row])).toEqual([2 ** 46, 2 ** 46 - 4096, 2 ** 46 - 8192]);
      expect(trace.columns.hostAddress?.filter((address) => address > 0)).toHaveLength(3);
    }
    expect(run.trace.columns.hostAddress).toBeUndefined();
  });

  it('says when it was made, by the wall clock of its head', () => {
    expect(run.info.createdAt).toBe(new Date(1_790_000_000_000).toISOString());
  });

  it('keeps the stack of a call as a range around it, from when it was taken', () => {
    const rows = rowsOf(run);
    const call = rows.find(({ name }) => name === 'cudaMemcpyAsync');
    const stack = rows.find(({ name }) => readCallStackName(name) !== null);
    expect(readCallStackName(stack?.name ?? '')).toEqual([
      { file: '/x/torch/nn/f.py', line: 9, function: 'step' },
      { file: 'train.py', line: 12, function: 'step' },
    ]);
    expect([stack?.startNs, stack?.durationNs]).toEqual([(call?.startNs ?? 0) - 100, (call?.durationNs ?? 0) + 100]);
  });

  it('is lifted by its steps, with the lines of copies and waits', () => {
    const { script, found } = liftTrace(run.trace, 'train');
    expect(found.rule).toMatch(/^ranges named "step"/);
    expect(found.ranges).toHaveLength(4);
    const items = script.steps[1]?.items ?? [];
    expect(items.flatMap((item) => (item.kind === 'copy' || item.kind === 'sync' ? [item.line] : []))).toEqual([
      'train.py:12 in step',
      'train.py:14 in step',
    ]);
  });

  it('has no step across a pause, and lifts steps that follow one another', () => {
    const ms = 1_000_000;
    const bytes = new RecordingBytes();
    const stretch = (first: number, count: number): void => {
      const from = first * ms;
      bytes.window(from - 1000, true);
      for (let step = 0; step < count; step += 1) {
        const at = from + step * ms;
        bytes.call('cudaLaunchKernel', at, at + 5000, { correlation: first + step });
        bytes.kernel(at + 7000, at + 400_000, first + step, 'gemm').range(at, at + 900_000, 'step');
      }
      bytes.window(from + count * ms - 50_000, false);
    };
    stretch(1, 3);
    stretch(200, 3);
    const recorded = read(bytes.bytes());
    const again = decodeRun(encodeRun(recorded));
    for (const { trace, info } of [recorded, again]) {
      expect(trace.pauses).toHaveLength(1);
      const lifted = liftTrace(trace, 'train');
      expect(lifted.stepsFound).toBe(6);
      expect(lifted.recordedNs.map((ns) => Math.round(ns / 1e4))).toEqual([100, 100, 95]);
      expect(Math.max(...gateSteps({ trace, info }, null).steps.map(({ fromNs, toNs }) => toNs - fromNs))).toBe(ms);
    }
  });
});

it('takes a copy and the wait behind it on the same line for one call of the framework', () => {
  const bytes = new RecordingBytes().stack(1, 12);
  for (let step = 0; step < 4; step += 1) {
    const at = step * 100_000;
    bytes.call('cudaMemcpyAsync', at + 1000, at + 3000, { correlation: 2 * step + 1, role: 1, stack: 1 });
    bytes.copy(at + 2000, at + 30_000, 2 * step + 1, 4096);
    bytes.call('cudaStreamSynchronize', at + 4000, at + 31_000, { correlation: 2 * step + 2, role: 3, stack: 1 });
    bytes.record(
      recordKinds.range,
      ['u64', start + at],
      ['u64', start + at + 90_000],
      ['u32', 100],
      ['u32', bytes.text('step')],
    );
  }
  const [first] = liftTrace(read(bytes.bytes()).trace, 'train').script.steps;
  const sync = first?.items.find(({ kind }) => kind === 'sync');
  expect(sync).toMatchObject({ copy: 0 });
});

it('tells page-locked memory, and when it is given back', () => {
  const bytes = new RecordingBytes();
  bytes.call('cudaHostAlloc', 0, 500_000, { role: callRoles.pin, bytes: 1 << 20, address: 0x7f00_1234_0000 });
  bytes.call('cudaFreeHost', 600_000, 610_000, { role: callRoles.unpin, address: 0x7f00_1234_0000 });
  const memory = rowsOf(read(bytes.bytes())).filter(({ name }) => name.startsWith('[memory]'));
  expect(memory.map(({ name, startNs, bytes: size }) => [name, startNs, size])).toEqual([
    ['[memory] allocate host', 500_000, 1 << 20],
    ['[memory] free host', 610_000, 1 << 20],
  ]);
});

it('tells which record of an event a stream waited for', () => {
  const bytes = new RecordingBytes();
  bytes.copy(1000, 50_000, 1, 4096, { src: 2, stream: 13 });
  bytes.record(recordKinds.eventRecord, ['u32', 4], ['u64', 77], ['u32', 13], ['u32', 2], ['u32', 1], ['u32', 0]);
  bytes.record(
    recordKinds.synchronisation,
    ['u64', start + 3000],
    ['u64', start + 3100],
    ['u8', 2],
    ['u32', 7],
    ['u32', 3],
    ['u32', 1],
    ['u32', 4],
    ['u64', 77],
  );
  bytes.kernel(51_000, 60_000, 4, 'gemm');
  const run = read(bytes.bytes());
  const marks = rowsOf(run).filter(({ kind }) => kind.startsWith('event-'));
  const placed = marks.map(({ kind, startNs, lane }) => [kind, startNs, lane.id]);
  // The copy ended at 49,000 of the trace's time, and the kernel began at 50,000.
  expect(placed).toEqual([
    ['event-record', 49_000, 'stream:gpu0:13'],
    ['event-wait', 50_000, 'stream:gpu0:7'],
  ]);
});

it('shows the processes of a program together, each with its own threads, streams and calls', () => {
  const child = steps(2, { pid: 200, parent: 100, startNs: start + 1 });
  const run = read(child.bytes(), steps(2).bytes());
  expect(run.trace.lanes.filter(({ kind }) => kind !== 'compute').map(({ name }) => name)).toEqual([
    '100 main',
    '200 thread 100',
    '7 (process 100)',
    '7 (process 200)',
    'H2D engine',
  ]);
  const { columns, count } = run.trace;
  const copies = rowsOf(run).filter(({ kind }) => kind === 'copy');
  expect(new Set(copies.map(({ correlation }) => correlation)).size).toBe(4);
  expect(Math.max(...columns.correlation.subarray(0, count))).toBe(12);
});

it("names an operator's range without what emit_nvtx puts behind it", () => {
  const bytes = new RecordingBytes();
  const name = bytes.text('aten::to, op_id = 7, seq = 1');
  bytes.record(recordKinds.range, ['u64', start], ['u64', start + 10], ['u32', 100], ['u32', name]);
  expect(rowsOf(read(bytes.bytes())).map((row) => row.name)).toEqual(['aten::to']);
});

describe('problems of a recording', () => {
  const notes = (bytes: RecordingBytes): string => read(bytes.bytes()).info.notes.join('\n');

  it('are listed: dropped records, a killed process, light mode', () => {
    const cut = new RecordingBytes({ light: true }).copy(0, 10, 1, 1);
    cut.record(recordKinds.dropped, ['u64', 5], ['u64', 6]);
    expect(notes(cut)).toMatch(
      /light mode[\s\S]*dropped 5[\s\S]*6 records were lost[\s\S]*Process 100 ended abnormally/,
    );
    expect(notes(steps(2))).not.toMatch(/did not end|dropped|light/);
  });

  it('are listed if there are more threads and streams than can be shown, and their rows are missing', () => {
    const bytes = new RecordingBytes();
    for (let thread = 0; thread < 9100; thread += 1)
      bytes.call('cudaLaunchKernel', 10 * thread, 10 * thread + 5, { thread: 1000 + thread });
    const run = read(bytes.copy(100_000, 100_100, 1, 1).bytes());
    expect(run.info).toMatchObject({
      status: 'failed',
      error: { code: 'trace-file.too-large', message: expect.stringMatching(/more threads and streams than/) },
    });
    expect(run.info.notes.join('\n')).not.toMatch(/no usable time/);
    expect(kinds(run)).not.toHaveProperty('copy');
  });

  it('include a stream for each copy, however many there are', () => {
    const bytes = new RecordingBytes();
    for (let stream = 0; stream < 200_000; stream += 1)
      bytes.copy(10 * stream, 10 * stream + 5, stream + 1, 1, { stream });
    const { info } = read(bytes.bytes());
    expect(info).toMatchObject({ status: 'failed', error: { code: 'trace-file.too-large' } });
    expect(info.device).not.toBeUndefined();
  });

  it('tells what recording cost, by steps that were timed with and without', () => {
    const timed = (recorded: number, plain: number): RecordingBytes => {
      const bytes = steps(2);
      const add = (ns: number, isRecorded: number): void => {
        bytes.record(recordKinds.step, ['u64', start], ['u64', start + ns], ['u8', isRecorded]);
      };
      for (let step = 0; step < recorded; step += 1) add(1_060_000, 1);
      for (let step = 0; step < plain; step += 1) add(1_000_000, 0);
      return bytes;
    };
    expect(notes(timed(6, 10))).toMatch(
      /On the host a step took 1\.06 ms while it was recorded \(median of 6\), 6\.0 % more than the 1\.00 ms without \(median of 10/,
    );
    expect(notes(timed(6, 4))).not.toMatch(/a step took/);
    const { info } = read(timed(6, 10).bytes());
    expect(plainStepNs(info, 2_120_000)).toBe(2_000_000);
    expect(plainStepNs(read(timed(6, 0).bytes()).info, 2_120_000)).toBeUndefined();
  });

  it.each([
    ['/x/torch/autograd/profiler.py', 'profile.__exit__'],
    ['/x/torch/profiler/profiler.py', 'stop_trace'],
  ])('names torch.profiler, whose own trace has lost its GPU rows: %s', (path, called) => {
    const bytes = new RecordingBytes();
    const [file, name] = [bytes.text(path), bytes.text(called)];
    bytes.record(recordKinds.frame, ['u32', 1], ['u32', file], ['u32', 9], ['u32', name]);
    bytes.record(recordKinds.stack, ['u32', 1], ['u32', 1]);
    bytes.call('cudaDeviceSynchronize', 0, 10, { role: 3, stack: 1 });
    expect(notes(bytes)).toMatch(/Process 100 ran torch\.profiler while it was recorded/);
  });

  it.each([
    [problems.noCupti, 'engine.unavailable', /CUPTI can't be used: why/],
    [problems.otherSubscriber, 'record.nothing', /CUPTI is in use by why/],
  ])('is the error where nothing could be recorded: %i', (problem, code, message) => {
    const bytes = new RecordingBytes();
    bytes.record(recordKinds.problem, ['u8', problem], ['u32', bytes.text('why')]);
    expect(() => read(bytes.bytes())).toThrowError(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

const whole = steps(8).bytes();
const all = rowsOf(read(whole)).length;
const attempt = (bytes: Uint8Array): Run | CopyscopeError => {
  try {
    return read(bytes);
  } catch (thrown) {
    if (thrown instanceof CopyscopeError) return thrown;
    throw thrown;
  }
};

it('a recording that is cut or damaged gives what was written whole, wherever it breaks off', () => {
  fc.assert(
    fc.property(fc.nat(whole.length), (length) => {
      const run = attempt(whole.subarray(0, length));
      if (run instanceof CopyscopeError) {
        expect(run.code).toMatch(/^(trace-file\.not-a-trace|record\.nothing)$/);
      } else {
        expect(run.info.status).toBe('complete');
        const { cutBytes } = readRecordingFile(whole.subarray(0, length));
        // No more is lost than the record in progress.
        expect(cutBytes).toBeLessThan(120);
      }
    }),
    { numRuns: 300 },
  );
  expect(rowsOf(read(whole.subarray(0, whole.length - 45))).length).toBeGreaterThan(all - 3);
});
