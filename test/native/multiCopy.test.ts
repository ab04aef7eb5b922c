import { expect, test } from 'vitest';
import { multiCopyOptions } from '../../core/experiment/multiCopyOptions.ts';
import { copyStrategies } from '../../core/experiment/operations.ts';
import { simulate } from '../../core/machine/simulate.ts';
import type { EngineRequest } from '../../core/program/engine.ts';
import { lower } from '../../core/program/lower.ts';
import type { Run } from '../../core/trace/run.ts';
import { copyDirections } from '../../core/trace/trace.ts';
import { h200Costs as costs } from '../unit/machine/toy.ts';
import { describeNative, once, type RowView, request, rowsOf, runOnCpu } from './support.ts';

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
  });
}

const total = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0);
const ofKind = (rows: readonly RowView[], kind: string): RowView[] => rows.filter((row) => row.kind === kind);

describeNative('multi-tensor copies on the CPU engine', () => {
  test('the simulator predicts the rows that a run has: calls, waits, copies and kernels, and what the host copies', async () => {
    // Sizes that need no padding between them.
    const bytes = [4096, 65_536, 128, 307_200, 4096, 1_048_576, 8192, 64, 64];
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

  test('a background thread copies, in a lane of its own, what its caller hands over', async () => {
    const options = { use_background_thread: true };
    const run = await runOnCpu(experiment({ strategy: 'packed', memory: 'pageable', options }));
    const lanes = (kind: string) => ofKind(rowsOf(run), kind).map(({ lane }) => lane);
    expect(lanes('host-call')).toContain('thread:main background');
    expect(lanes('host-call')).not.toContain('thread:main');
    expect(lanes('host-sync')).toEqual(expect.arrayContaining(['thread:main', 'thread:main background']));
    expect(run.info.verification).toMatchObject({ bytesWrong: 0 });
  });

  test('rows of staging by helpers lie on lanes of their own, right behind their thread', async () => {
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
});
