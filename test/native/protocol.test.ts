import { expect, test } from 'vitest';
import type { RunProgress } from '../../core/program/engine.ts';
import { eventually } from '../unit/support/eventually.ts';
import { describeNative, ms, once, request, rowOf, rowsOf, runOnCpu, withProgram } from './support.ts';

const KiB = 1024;

describeNative('iterations', () => {
  test('iterations run and are recorded and timed as often as asked, and report their phases', async () => {
    const phases: RunProgress[] = [];
    const wanted = request({
      environment: { iterations: 3, warmups: 2 },
      threads: [{ id: 'main', operations: [{ op: 'work', durationNs: 2 * ms, label: 'think' }] }],
    });
    const { info, trace } = await runOnCpu(wanted, { onProgress: (progress) => phases.push(progress) });
    expect(info.iterations.plainWallNs).toHaveLength(3);
    expect(info.iterations.recordedWallNs).toHaveLength(3);
    expect([...trace.columns.iteration]).toEqual([0, 1, 2]);
    expect(trace.names).toEqual(['think']);
    for (const wall of info.iterations.plainWallNs) expect(wall).toBeGreaterThanOrEqual(2 * ms);
    for (const [index, makespan] of info.iterations.recordedMakespanNs.entries()) {
      expect(makespan).toBeGreaterThanOrEqual(2 * ms);
      expect(makespan).toBeLessThanOrEqual(info.iterations.recordedWallNs[index] ?? 0);
    }
    const seen = [...new Set(phases.map(({ phase }) => phase))];
    expect(seen).toEqual(['preparing', 'warming-up', 'timing', 'recording', 'verifying']);
    for (const { done, total } of phases) expect(done).toBeLessThanOrEqual(total);
  });

  test('a repeat gives a row and a correlation for each round', async () => {
    const run = await runOnCpu(
      request({
        environment: { iterations: 2, warmups: 0 },
        streams: [{ id: 's' }],
        threads: [
          {
            id: 'main',
            operations: [
              {
                op: 'repeat',
                count: 50,
                operations: [
                  { op: 'kernel', kernel: { kind: 'spin', durationNs: 0 }, stream: 's' },
                  { op: 'repeat', count: 2, operations: [{ op: 'queryStream', stream: 's' }] },
                ],
              },
            ],
          },
        ],
      }),
    );
    const kernels = rowsOf(run).filter((row) => row.kind === 'kernel');
    expect(kernels).toHaveLength(100);
    expect(new Set(kernels.filter((row) => row.iteration === 1).map((row) => row.correlation)).size).toBe(50);
    expect(rowsOf(run).filter((row) => row.name === 'cudaStreamQuery')).toHaveLength(200);
  });

  test('host threads run at the same time, each on its own lane', async () => {
    // Overlap is not certain: a thread that isn't scheduled for that long begins after the other.
    const [one, two] = await eventually(async () => {
      const run = await runOnCpu(
        request({
          environment: once,
          threads: [
            { id: 'one', operations: [{ op: 'work', durationNs: 300 * ms }] },
            { id: 'two', operations: [{ op: 'work', durationNs: 300 * ms }] },
          ],
        }),
      );
      const [one, two] = [rowOf(run, 0, 'host-work'), rowOf(run, 1, 'host-work')];
      expect(one.start < two.end && two.start < one.end).toBe(true);
      return [one, two];
    });
    expect([one?.lane, two?.lane]).toEqual(['thread:one', 'thread:two']);
  });

  test('a range bears its name and encloses what is in it', async () => {
    const run = await runOnCpu(
      request({
        environment: once,
        threads: [
          { id: 'main', operations: [{ op: 'range', name: 'step', operations: [{ op: 'work', durationNs: ms }] }] },
        ],
      }),
    );
    const [range, work] = [rowOf(run, 0, 'host-range'), rowOf(run, 1, 'host-work')];
    expect(range.name).toBe('step');
    expect(range.start <= work.start && range.end >= work.end).toBe(true);
  });
});

describeNative('verification', () => {
  const there = {
    buffers: [
      { id: 'host', memory: 'pageable', bytes: 100 * KiB, pattern: { kind: 'random', seed: 9 } },
      { id: 'device', memory: 'device', bytes: 100 * KiB, pattern: { kind: 'constant', value: 7 } },
      { id: 'back', memory: 'pinned', bytes: 100 * KiB, pattern: { kind: 'constant', value: 7 } },
    ],
    streams: [{ id: 's' }],
  } as const;
  const copies = [
    { op: 'copy', src: 'host', dst: 'device', stream: 's' },
    { op: 'copy', src: 'device', dst: 'back', stream: 's' },
    { op: 'synchronizeStream', stream: 's' },
  ] as const;

  test('reads and final contents agree, at odd offsets too', async () => {
    const { info } = await runOnCpu(
      request({
        ...there,
        buffers: [...there.buffers],
        streams: [...there.streams],
        environment: { iterations: 2, warmups: 1 },
        threads: [
          {
            id: 'main',
            operations: [
              ...copies,
              {
                op: 'copy',
                src: 'host',
                srcOffset: 3,
                dst: 'back',
                dstOffset: 101,
                bytes: 1001,
                mode: 'blocking-memcpy',
              },
              { op: 'read', buffer: 'back', offset: 101, bytes: 1001 },
              { op: 'write', buffer: 'back', offset: 5, bytes: 9, pattern: { kind: 'index', seed: 1 } },
              { op: 'read', buffer: 'back', offset: 5, bytes: 9, expect: { kind: 'index', seed: 1 } },
            ],
          },
        ],
      }),
    );
    expect(info.verification.bytesWrong).toBe(0);
    expect(info.verification.unverified).toEqual([]);
    const reads = info.verification.checks.filter((check) => check.kind === 'read');
    expect(reads.map((check) => [check.buffer, check.bytesChecked])).toEqual([
      ['back', 2 * 1001],
      ['back', 2 * 9],
    ]);
    const finals = info.verification.checks.filter((check) => check.kind === 'final');
    expect(finals.reduce((sum, check) => sum + check.bytesChecked, 0)).toBe(200 * KiB);
  });

  test('an expectation that does not hold is reported with count and place', async () => {
    const wanted = request({
      ...there,
      buffers: [...there.buffers],
      streams: [...there.streams],
      environment: once,
      threads: [
        {
          id: 'main',
          operations: [
            ...copies,
            { op: 'read', buffer: 'back', offset: 8, bytes: 4, expect: { kind: 'constant', value: 0 } },
          ],
        },
      ],
    });
    const content = { pattern: { kind: 'constant', value: 7 }, patternOffset: 0, multiplier: 1 } as const;
    const { info } = await runOnCpu(
      withProgram(wanted, { expectations: [{ buffer: 1, offset: 64, bytes: 400, content }] }),
    );
    const [final, read] = info.verification.checks;
    expect(final).toMatchObject({ kind: 'final', buffer: 'device', bytesChecked: 400, op: -1 });
    expect(final?.bytesWrong).toBeGreaterThan(380);
    expect(final?.firstWrong).toBeGreaterThanOrEqual(64);
    expect(read).toMatchObject({ kind: 'read', op: 3, bytesChecked: 4 });
    expect(read?.bytesWrong).toBeGreaterThan(0);
    expect(info.verification.bytesWrong).toBe((final?.bytesWrong ?? 0) + (read?.bytesWrong ?? 0));
  });

  test('a copy that never ran does not count as verified', async () => {
    const wanted = request({
      ...there,
      buffers: [...there.buffers],
      streams: [...there.streams],
      environment: once,
      threads: [{ id: 'main', operations: [copies[0]] }],
    });
    const threads = wanted.program.threads.map((thread) => ({ ...thread, instructions: [] }));
    const { info } = await runOnCpu(withProgram(wanted, { threads }));
    expect(info.verification.bytesWrong).toBeGreaterThan(99 * KiB);
  });

  test("verification says what it can't check", async () => {
    const wanted = request({
      ...there,
      buffers: [...there.buffers],
      streams: [...there.streams],
      environment: once,
      threads: [{ id: 'main', operations: [...copies] }],
    });
    const { info } = await runOnCpu(
      withProgram(wanted, { expectations: [], unverifiable: [{ buffer: 1, reason: 'a loop' }] }),
    );
    expect(info.verification.unverified).toEqual([{ buffer: 'device', reason: 'a loop' }]);
    expect(info.verification.bytesChecked).toBe(0);
  });
});
