import { expect, test } from 'vitest';
import type { RunProgress } from '../../core/program/engine.ts';
import { describeNative, ms, once, request, runOnCpu, withProgram } from './support.ts';

const KiB = 1024;

describeNative('iterations', () => {
  test('iterations run and are recorded and timed as often as asked, and report their phases', async () => {
    const phases: RunProgress[] = [];
    const wanted = request({
      environment: { iterations: 3, warmups: 2 },
      operations: [{ op: 'work', durationNs: 2 * ms, label: 'think' }],
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

  test("verification says what it can't check", async () => {
    const wanted = request({
      ...there,
      buffers: [...there.buffers],
      streams: [...there.streams],
      environment: once,
      operations: [...copies],
    });
    const { info } = await runOnCpu(
      withProgram(wanted, { expectations: [], unverifiable: [{ buffer: 1, reason: 'a loop' }] }),
    );
    expect(info.verification.unverified).toEqual([{ buffer: 'device', reason: 'a loop' }]);
    expect(info.verification.bytesChecked).toBe(0);
  });
});
