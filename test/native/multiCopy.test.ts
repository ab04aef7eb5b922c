/** Multi-tensor copies as operations of an experiment, on the CPU engine: their data, their rows, and their ends. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { profileCosts } from '../../core/cost/profileCosts.ts';
import { multiCopyOptions } from '../../core/experiment/multiCopyOptions.ts';
import { copyStrategies } from '../../core/experiment/operations.ts';
import { simulate } from '../../core/machine/simulate.ts';
import { parseProfile } from '../../core/profile/profile.ts';
import type { EngineRequest, RunProgress } from '../../core/program/engine.ts';
import { lower } from '../../core/program/lower.ts';
import type { Run } from '../../core/trace/run.ts';
import { copyDirections } from '../../core/trace/trace.ts';
import { runs } from '../support/effort.ts';
import { describeNative, ms, once, type RowView, request, rowsOf, runOnCpu } from './support.ts';

const KiB = 1024;

type Direction = (typeof copyDirections)[number];
type Strategy = (typeof copyStrategies)[number];

interface Wanted {
  readonly strategy: Strategy;
  readonly direction?: Direction;
  readonly memory?: 'pageable' | 'pinned';
  readonly bytes?: number[];
  readonly tensors?: number;
  readonly options?: Record<string, number | boolean>;
  readonly environment?: { iterations?: number; warmups?: number; launchBlocking?: boolean };
  readonly stream?: string;
}

const sizes = [4000, 8, 70_000, 300_000, 262_144, 13];

function experiment({
  strategy,
  direction = 'h2d',
  memory = 'pageable',
  bytes = sizes,
  ...more
}: Wanted): EngineRequest {
  return request({
    environment: more.environment ?? once,
    streams: [{ id: 's' }],
    threads: [
      {
        id: 'main',
        operations: [
          {
            op: 'multiCopy',
            label: 'many',
            direction,
            payload: { tensors: more.tensors ?? bytes.length, bytes, memory },
            strategy,
            options: more.options ?? {},
            stream: more.stream ?? 's',
          },
        ],
      },
    ],
  });
}

const total = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);
const ofKind = (rows: readonly RowView[], kind: string): RowView[] => rows.filter((row) => row.kind === kind);

/** Whether a strategy is a loop of calls, or one call with helpers. */
const isOneCall = (strategy: Strategy, direction: Direction, memory: string): boolean => {
  if (direction === 'd2d') return false;
  if (strategy === 'pipelined') return direction === 'h2h' || memory === 'pageable';
  return strategy === 'threaded-pinning' || strategy === 'packed';
};

describeNative('multi-tensor copies on the CPU engine', () => {
  for (const strategy of copyStrategies) {
    test(`${strategy} brings every byte in every direction, pageable and pinned`, async () => {
      for (const direction of copyDirections) {
        for (const memory of ['pageable', 'pinned'] as const) {
          const options = 'threads' in multiCopyOptions[strategy] ? { threads: 3 } : {};
          const run = await runOnCpu(experiment({ strategy, direction, memory, options }));
          const { verification } = run.info;
          expect(verification).toMatchObject({ bytesChecked: total(sizes), bytesWrong: 0, unverified: [] });
          expect(verification.checks).toEqual([
            {
              kind: 'final',
              buffer: 'multiCopy 0',
              op: -1,
              bytesChecked: total(sizes),
              bytesWrong: 0,
              firstWrong: -1,
            },
          ]);
          const rows = rowsOf(run);
          for (const row of rows) expect(row.op).toBe(0);
          const copies = ofKind(rows, 'copy');
          if (direction === 'h2h') expect(copies).toEqual([]);
          // Gaps between packed tensors cross the link too.
          else
            expect(total(copies.map((row) => row.bytes))).toBeGreaterThanOrEqual(
              direction === 'd2d' ? 1 : total(sizes),
            );
          for (const copy of copies) {
            expect(copy.lane).toBe('stream:s');
            expect(copy.engine).toBe(direction === 'd2d' ? 'compute:gpu' : `engine:gpu:${direction}`);
          }
          const calls = ofKind(rows, 'host-call');
          if (isOneCall(strategy, direction, memory)) {
            expect(calls.map((row) => row.name)).toEqual(['many']);
            for (const copy of copies) expect(copy.correlation).toBe(calls[0]?.correlation);
          } else {
            const issued = calls.filter((row) => row.name === 'cudaMemcpyAsync');
            expect(issued.map((row) => row.correlation).sort()).toEqual(copies.map((row) => row.correlation).sort());
            expect(new Set(issued.map((row) => row.correlation)).size).toBe(issued.length);
          }
        }
      }
    });
  }

  test('the simulator predicts the rows that a run has: calls, waits, copies and kernels, and what the host copies', async () => {
    // Nothing between them needs padding.
    const bytes = [4096, 65_536, 128, 307_200, 4096, 1_048_576, 8192, 64, 64];
    const costs = profileCosts(parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8'))));
    for (const strategy of copyStrategies) {
      for (const direction of copyDirections) {
        for (const memory of ['pageable', 'pinned'] as const) {
          const options = 'threads' in multiCopyOptions[strategy] ? { threads: 1 } : {};
          const wanted = experiment({ strategy, direction, memory, bytes, options });
          const native = await runOnCpu(wanted);
          const predicted = { ...native, trace: simulate(wanted.program, costs).trace };
          const shape = (run: Run): string[] =>
            rowsOf(run)
              .map((row) => `${row.lane} ${row.kind} ${row.name} ${row.kind === 'copy' ? row.bytes : ''}`)
              .sort();
          expect.soft(shape(native), `${strategy} ${direction} ${memory}`).toEqual(shape(predicted));
        }
      }
    }
  });

  test('a loop shows each call, and the wait behind each or behind all', async () => {
    const names = async (strategy: Strategy): Promise<string[]> =>
      rowsOf(await runOnCpu(experiment({ strategy, bytes: [8, 8], memory: 'pinned' })))
        .filter((row) => row.lane === 'thread:main')
        .map((row) => row.name);
    const [copy, wait] = ['cudaMemcpyAsync', 'cudaStreamSynchronize'];
    expect(await names('blocking-loop')).toEqual([copy, wait, copy, wait]);
    expect(await names('non-blocking-loop')).toEqual([copy, copy, wait]);
    expect(await names('pin-then-copy')).toEqual(['many', copy, wait, 'many', copy, wait]);
    expect(await names('pin-then-copy-non-blocking')).toEqual(['many', copy, 'many', copy, wait]);
  });

  test('what helpers stage lies on lanes of their own, right behind their thread', async () => {
    const options = { threads: 4, slotBytes: 64 * KiB };
    const run = await runOnCpu(experiment({ strategy: 'pipelined', bytes: [4_000_000], tensors: 8, options }));
    const rows = rowsOf(run);
    const staged = ofKind(rows, 'host-work');
    expect(total(staged.map((row) => row.bytes))).toBe(32_000_000);
    const lanes = run.trace.lanes.filter((lane) => lane.kind === 'host-thread');
    const helpers = lanes.slice(1).map((lane) => lane.id);
    expect(lanes[0]?.id).toBe('thread:main');
    expect(helpers).toEqual(helpers.map((_, helper) => `thread:main/${helper + 1}`));
    for (const row of staged) expect(['thread:main', ...helpers]).toContain(row.lane);
    const [call] = ofKind(rows, 'host-call');
    for (const row of rows) {
      expect(row.start).toBeGreaterThanOrEqual(call?.start ?? Number.NaN);
      expect(row.end).toBeLessThanOrEqual(call?.end ?? Number.NaN);
    }
  });

  test('iterations record the same, each with targets written over before it', async () => {
    const environment = { iterations: 3, warmups: 1 };
    const run = await runOnCpu(experiment({ strategy: 'packed', environment, options: { threads: 2 } }));
    expect(run.info.iterations.recordedWallNs).toHaveLength(3);
    const copies = [0, 1, 2].map((iteration) =>
      ofKind(rowsOf(run), 'copy')
        .filter((row) => row.iteration === iteration)
        .map((row) => row.bytes)
        .sort(),
    );
    expect(copies[1]).toEqual(copies[0]);
    expect(copies[2]).toEqual(copies[0]);
    expect(run.info.verification.bytesWrong).toBe(0);
  });

  test('small tensors that lie apart on the device are gathered by a kernel', async () => {
    const bytes = [4000];
    const run = await runOnCpu(experiment({ strategy: 'pipelined', direction: 'd2h', bytes, tensors: 100 }));
    const rows = rowsOf(run);
    const copies = ofKind(rows, 'copy');
    const kernels = ofKind(rows, 'kernel');
    expect(copies.length).toBeLessThan(10);
    expect(kernels).toHaveLength(copies.length);
    expect(total(kernels.map((row) => row.bytes))).toBe(400_000);
    expect(run.info.verification).toMatchObject({ bytesChecked: 400_000, bytesWrong: 0 });
  });

  test('two host threads copy at once, on one device or on two', async () => {
    const threads = ['one', 'two'].map((id) => ({
      id,
      operations: [
        {
          op: 'repeat' as const,
          count: 3,
          operations: [
            {
              op: 'multiCopy' as const,
              payload: { tensors: 50, bytes: 20_000 },
              strategy: 'pipelined' as const,
              options: { threads: 2 },
              stream: `stream-${id}`,
            },
          ],
        },
      ],
    }));
    for (const devices of [
      [0, 0],
      [0, 1],
    ]) {
      const run = await runOnCpu(
        request({
          environment: once,
          devices: [...new Set(devices)].map((index) => ({ id: `gpu${index}`, index })),
          streams: [
            { id: 'stream-one', device: `gpu${devices[0]}` },
            { id: 'stream-two', device: `gpu${devices[1]}` },
          ],
          threads: threads.map((thread, index) => ({ ...thread, device: `gpu${devices[index]}` })),
        }),
      );
      expect(run.info.verification).toMatchObject({ bytesChecked: 2_000_000, bytesWrong: 0 });
      expect(run.info.verification.checks.map((check) => check.buffer)).toEqual(['multiCopy 1', 'multiCopy 3']);
    }
  });

  test('through relays every byte arrives, and the lanes show the link of each device', async () => {
    const relayed = (relay: 'auto' | string[], direction: Direction, memory: 'pageable' | 'pinned') =>
      request({
        environment: { iterations: 2, warmups: 1, peerAccess: true },
        devices: ['a', 'b', 'c'].map((id, index) => ({ id, index })),
        streams: [{ id: 's', device: 'b' }],
        threads: [
          {
            id: 'main',
            device: 'b',
            operations: [
              // Holds the own link, so that each of the others has something to do.
              { op: 'kernel', kernel: { kind: 'spin', durationNs: 150 * ms }, stream: 's' },
              {
                op: 'multiCopy',
                direction,
                payload: { tensors: 12, bytes: 600_000, memory },
                options: { threads: 3, chunkBytes: 64 * KiB, slotBytes: 64 * KiB },
                relay,
                stream: 's',
              },
            ],
          },
        ],
      });
    for (const direction of ['h2d', 'd2h'] as const) {
      for (const memory of ['pageable', 'pinned'] as const) {
        for (const relay of ['auto', ['c']] as const) {
          const run = await runOnCpu(relayed(relay === 'auto' ? relay : [...relay], direction, memory));
          expect(run.info.verification).toMatchObject({ bytesChecked: 7_200_000, bytesWrong: 0, unverified: [] });
          const names = relay === 'auto' ? ['a', 'b', 'c'] : ['b', 'c'];
          const engines = run.trace.lanes.filter((lane) => lane.kind === 'copy-engine').map((lane) => lane.id);
          expect(engines).toEqual(names.map((id) => `engine:${id}:${direction}`));
          const copies = ofKind(rowsOf(run), 'copy').filter((row) => row.iteration === 0);
          const crossed = copies.filter((row) => row.engine?.startsWith('engine:'));
          expect(total(crossed.map((row) => row.bytes))).toBe(7_200_000);
          const byPeer = (id: string): number =>
            total(copies.filter((row) => row.lane === `stream:relay ${id} peer`).map((row) => row.bytes));
          const byLink = (id: string): number =>
            total(copies.filter((row) => row.lane === `stream:relay ${id}`).map((row) => row.bytes));
          expect(byLink('c')).toBeGreaterThan(0);
          for (const id of names.filter((name) => name !== 'b')) expect(byPeer(id)).toBe(byLink(id));
        }
      }
    }
  });

  test("in a host thread's own default stream it has no helpers, and the run says so", async () => {
    const wanted = experiment({ strategy: 'threaded-pinning', stream: 'default' });
    const document = {
      ...wanted.experiment,
      environment: { ...wanted.experiment.environment, defaultStream: 'per-thread' as const },
    };
    const run = await runOnCpu({ experiment: document, program: lower(document) });
    expect(run.info.verification.bytesWrong).toBe(0);
    expect(run.info.notes.join()).toContain('without helping threads');
    expect(run.trace.lanes.filter((lane) => lane.kind === 'host-thread')).toHaveLength(1);
  });

  test('a cancelled run ends soon, whatever the strategy is doing, and the next one is as good as ever', async () => {
    for (const strategy of copyStrategies) {
      const controller = new AbortController();
      const wanted = request({
        environment: once,
        streams: [{ id: 's' }],
        threads: [
          {
            id: 'main',
            operations: [
              { op: 'kernel', kernel: { kind: 'spin', durationNs: 600_000 * ms }, stream: 's' },
              { op: 'multiCopy', payload: { tensors: 40, bytes: 100_000 }, strategy, stream: 's' },
            ],
          },
        ],
      });
      const onProgress = ({ phase }: RunProgress): void => {
        if (phase !== 'preparing') controller.abort();
      };
      await expect(runOnCpu(wanted, { signal: controller.signal, onProgress })).rejects.toMatchObject({
        code: 'run.cancelled',
      });
      expect((await runOnCpu(experiment({ strategy }))).info.verification.bytesWrong).toBe(0);
    }
  });

  test('memory that is not there is refused before the run, with what asked for it', async () => {
    process.env['COPYSCOPE_PINNED_BUDGET'] = '1M';
    try {
      const wanted = experiment({ strategy: 'threaded-pinning', bytes: [500_000], tensors: 4 });
      await expect(runOnCpu(wanted)).rejects.toMatchObject({
        code: 'run.pinned-budget',
        message: expect.stringMatching(/1048576 bytes.*multi-tensor copy 0/s),
      });
      // Four slots of 64 KiB are enough for any payload.
      const options = { threads: 2, slotBytes: 64 * KiB, slotsPerThread: 2 };
      const run = await runOnCpu(experiment({ strategy: 'pipelined', bytes: [500_000], tensors: 4, options }));
      expect(run.info.verification.bytesWrong).toBe(0);
    } finally {
      delete process.env['COPYSCOPE_PINNED_BUDGET'];
    }
  });

  test('whatever the payload and the options are, every byte arrives', async () => {
    const payload = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 40 });
    const options = fc.record({
      threads: fc.integer({ min: 1, max: 5 }),
      slotsPerThread: fc.integer({ min: 1, max: 3 }),
      slotBytes: fc.integer({ min: 4096, max: 200_000 }),
      chunkBytes: fc.integer({ min: 4096, max: 200_000 }),
      use_pinned_staging: fc.boolean(),
      pack_cpu_tensors: fc.boolean(),
      min_packed_alignment_bytes: fc.integer({ min: 1, max: 4096 }),
      max_packed_chunk_bytes: fc.integer({ min: 1, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...copyStrategies),
        fc.constantFrom(...copyDirections),
        fc.constantFrom('pageable' as const, 'pinned' as const),
        payload,
        options,
        async (strategy, direction, memory, bytes, all) => {
          const known = multiCopyOptions[strategy];
          const chosen = Object.fromEntries(Object.entries(all).filter(([name]) => name in known));
          const environment = { iterations: 2, warmups: 0, launchBlocking: bytes.length % 2 === 0 };
          const wanted = experiment({ strategy, direction, memory, bytes, options: chosen, environment });
          const { info } = await runOnCpu(wanted);
          expect(info.verification).toMatchObject({ bytesChecked: total(bytes), bytesWrong: 0 });
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
