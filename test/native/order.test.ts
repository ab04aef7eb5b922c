import { expect, test } from 'vitest';
import { eventually } from '../unit/support/eventually.ts';
import { describeNative, ms, once, request, rowOf, rowsOf, runOnCpu } from './support.ts';

/** Mostly longer than a busy machine is late in giving a thread its turn: what may overlap is asked until it does. */
const long = 300 * ms;
const short = 2 * ms;

const spin = (stream: string, durationNs: number) =>
  ({ op: 'kernel', kernel: { kind: 'spin', durationNs }, stream }) as const;

describeNative('order of streams on the CPU engine', () => {
  test('a stream runs its work in issue order', async () => {
    const run = await runOnCpu(
      request({
        environment: once,
        streams: [{ id: 'a' }],
        threads: [{ id: 'main', operations: [spin('a', short), spin('a', short), spin('a', short)] }],
      }),
    );
    const kernels = rowsOf(run).filter((row) => row.kind === 'kernel');
    expect(kernels.map((row) => row.op)).toEqual([0, 1, 2]);
    for (const [index, row] of kernels.entries())
      expect(row.start).toBeGreaterThanOrEqual(kernels[index - 1]?.end ?? 0);
  });

  /** Whether a kernel in the default stream began only after one that was issued before it in a stream of these flags. */
  async function waitsFor(flags: 'blocking' | 'non-blocking'): Promise<boolean> {
    const run = await runOnCpu(
      request({
        environment: once,
        streams: [{ id: 'side', flags }],
        threads: [{ id: 'main', operations: [spin('side', long), spin('default', short)] }],
      }),
    );
    return rowOf(run, 1, 'kernel').start >= rowOf(run, 0, 'kernel').end;
  }

  test('the legacy default stream waits for a blocking stream', async () => {
    expect(await waitsFor('blocking')).toBe(true);
  });

  test('the legacy default stream need not wait for a non-blocking stream', async () => {
    await eventually(async () => expect(await waitsFor('non-blocking')).toBe(false));
  });

  test('per-thread default streams overlap, and each waits for the legacy one', async () => {
    const run = await eventually(async () => {
      const run = await runOnCpu(
        request({
          environment: { ...once, defaultStream: 'per-thread' },
          threads: [
            { id: 'one', operations: [spin('default', long)] },
            { id: 'two', operations: [spin('default', long)] },
          ],
        }),
      );
      const [one, two] = [rowOf(run, 0, 'kernel'), rowOf(run, 1, 'kernel')];
      expect(one.start < two.end && two.start < one.end).toBe(true);
      return run;
    });
    expect(run.trace.lanes.filter((lane) => lane.kind === 'stream').map((lane) => lane.name)).toEqual([
      'default of one',
      'default of two',
    ]);
    const legacy = await runOnCpu(
      request({
        environment: { ...once, defaultStream: 'per-thread' },
        threads: [{ id: 'one', operations: [spin('legacy', long), spin('default', short)] }],
      }),
    );
    expect(rowOf(legacy, 1, 'kernel').start).toBeGreaterThanOrEqual(rowOf(legacy, 0, 'kernel').end);
  });

  test('an event orders two streams, and its marks are recorded', async () => {
    const run = await runOnCpu(
      request({
        environment: once,
        streams: [{ id: 'a' }, { id: 'b' }],
        events: [{ id: 'done' }],
        threads: [
          {
            id: 'main',
            operations: [
              spin('a', long),
              { op: 'recordEvent', event: 'done', stream: 'a' },
              { op: 'waitEvent', event: 'done', stream: 'b' },
              spin('b', short),
              { op: 'synchronizeEvent', event: 'done' },
            ],
          },
        ],
      }),
    );
    const first = rowOf(run, 0, 'kernel');
    expect(rowOf(run, 3, 'kernel').start).toBeGreaterThanOrEqual(first.end);
    expect(rowOf(run, 1, 'event-record').start).toBeGreaterThanOrEqual(first.end);
    expect(rowOf(run, 1, 'event-record')).toMatchObject({ engine: null, lane: 'stream:a' });
    expect(rowOf(run, 4, 'host-sync').end).toBeGreaterThanOrEqual(first.end);
    expect(rowOf(run, 4, 'host-sync').name).toBe('cudaEventSynchronize');
    expect(rowOf(run, 2, 'host-call').name).toBe('cudaStreamWaitEvent');
  });

  test('queries return at once, and device synchronisation waits for everything', async () => {
    const run = await eventually(async () => {
      const run = await runOnCpu(
        request({
          environment: once,
          streams: [{ id: 'a' }],
          threads: [
            {
              id: 'main',
              operations: [spin('a', long), { op: 'queryStream', stream: 'a' }, { op: 'synchronizeDevice' }],
            },
          ],
        }),
      );
      expect(rowOf(run, 1, 'host-call').end).toBeLessThan(rowOf(run, 0, 'kernel').end);
      return run;
    });
    expect(rowOf(run, 2, 'host-sync').end).toBeGreaterThanOrEqual(rowOf(run, 0, 'kernel').end);
  });
});
