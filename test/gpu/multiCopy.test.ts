// Multi-tensor copies as operations of an experiment on real GPUs: data, rows matched with CUPTI's, two devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureCopies } from '../../bench/support/measureCopies.ts';
import { copyStrategies } from '../../core/experiment/operations.ts';
import type { Run } from '../../core/trace/run.ts';
import { copyDirections } from '../../core/trace/trace.ts';
import { deviceRows, type Row } from './rows.ts';
import { engineKind, experiment, native, runOnGpu } from './support.ts';

const devices = engineKind === 'cuda' ? native.report().devices.length : 1;
const skip = devices === 0 ? 'there is no GPU' : false;
const skipPair = devices < 2 ? `there is ${devices === 1 ? 'one GPU' : 'no GPU'}, and this needs two` : false;
const copyDevice = (index: number): string => `${engineKind === 'cuda' ? 'cuda' : 'cpu-device'}:${index}`;

const sizes = [4000, 8, 70_000, 300_000, 262_144, 13, 5_000_003];
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

type Payload = { readonly tensors: number; readonly bytes: number[]; readonly memory?: 'pageable' | 'pinned' };
type Strategy = (typeof copyStrategies)[number];
type Direction = (typeof copyDirections)[number];

const document = (strategy: Strategy, direction: Direction, payload: Payload, iterations = 2) =>
  experiment({
    name: 'many tensors',
    environment: { iterations, warmups: 1 },
    streams: [{ id: 's' }],
    operations: [{ op: 'multiCopy', strategy, direction, payload, stream: 's' }],
  });

/** Throws if records of a stream didn't match its operations, so that its rows are missing. */
function requireJoined({ info }: Run): void {
  assert.deepEqual(
    info.notes.filter((note) => note.includes("don't match")),
    [],
  );
}

const copiesOf = (run: Run): Row[] => deviceRows(run).filter((row) => row.kind === 'copy');

test('a background thread copies what its caller hands over, in rows of its own lane', { skip }, async () => {
  const options = { use_background_thread: true };
  const copy = { op: 'multiCopy', strategy: 'packed', options, payload: { tensors: 14, bytes: sizes }, stream: 's' };
  const operations = [copy, { op: 'work', durationNs: 2_000_000 }, { op: 'synchronizeStream', stream: 's' }];
  const environment = { iterations: 2, warmups: 1 };
  const run = await runOnGpu(
    experiment({ name: 'job', environment, streams: [{ id: 's' }], threads: [{ id: 'main', operations }] } as never),
  );
  assert.equal(run.info.verification.bytesWrong, 0);
  requireJoined(run);
  const lane = run.trace.lanes.findIndex(({ id }) => id === 'thread:main background');
  assert.ok(run.trace.columns.lane.subarray(0, run.trace.count).includes(lane));
});

for (const strategy of copyStrategies) {
  for (const direction of copyDirections) {
    test(`an operation copies by ${strategy}, ${direction}, by CUPTI and by CUDA events`, { skip }, async () => {
      for (const memory of ['pageable', 'pinned'] as const) {
        for (const timing of ['cupti', 'cuda-events'] as const) {
          const run = await runOnGpu(document(strategy, direction, { tensors: 14, bytes: sizes, memory }), { timing });
          const { verification } = run.info;
          assert.equal(verification.bytesWrong, 0);
          assert.equal(verification.bytesChecked, 2 * total(sizes));
          requireJoined(run);
          const copied = total(copiesOf(run).map((row) => row.bytes));
          if (direction === 'h2h') assert.equal(copied, 0);
          else if (direction !== 'd2d') assert.ok(copied >= 2 * total(sizes), `${copied} bytes in the rows`);
          for (const row of copiesOf(run)) assert.ok(row.end > row.start);
        }
      }
    });
  }
}

test('1,000 small tensors that lie apart are gathered by kernels and cross in a few copies', { skip }, async () => {
  const run = await runOnGpu(document('pipelined', 'd2h', { tensors: 1000, bytes: [4000] }));
  assert.equal(run.info.verification.bytesWrong, 0);
  requireJoined(run);
  const kernels = deviceRows(run).filter((row) => row.kind === 'kernel');
  assert.ok(copiesOf(run).length <= 20, `${copiesOf(run).length} copies`);
  assert.equal(kernels.length, copiesOf(run).length);
});

test('the gathering kernel is right at every size and alignment', { skip }, () => {
  const odd = Array.from({ length: 3000 }, (_, index) => 1 + ((index * 977) % 9001));
  for (const direction of ['d2h', 'd2d'] as const) {
    for (const chunkBytes of [4096, 65_536, 1_000_000]) {
      const found = measureCopies({ device: copyDevice(0), direction, sizes: odd, chunkBytes, repetitions: 2 });
      assert.equal(found.wrong, 0);
      assert.equal(found.checked, 2 * total(odd));
    }
  }
});

test('cancelled in the middle, and the next run works', { skip }, async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  const long = document('pipelined', 'h2d', { tensors: 500, bytes: [4_000_000] }, 200);
  await assert.rejects(runOnGpu(long, { signal: controller.signal }), { code: 'run.cancelled' });
  const { info } = await runOnGpu(document('pipelined', 'h2d', { tensors: 7, bytes: sizes }));
  assert.equal(info.verification.bytesWrong, 0);
});

test('two GPUs: both get many tensors at once, each through its own engine', { skip: skipPair }, async () => {
  const run = await runOnGpu(
    experiment({
      name: 'two devices',
      environment: { iterations: 3, warmups: 1 },
      devices: [
        { id: 'a', index: 0 },
        { id: 'b', index: 1 },
      ],
      streams: [
        { id: 'to-a', device: 'a' },
        { id: 'to-b', device: 'b' },
      ],
      threads: ['a', 'b'].map((id) => ({
        id: `for-${id}`,
        device: id,
        operations: (['h2d', 'd2h'] as const).map((direction) => ({
          op: 'multiCopy' as const,
          direction,
          payload: { tensors: 64, bytes: [4_000_000] },
          stream: `to-${id}`,
        })),
      })),
    }),
  );
  assert.equal(run.info.verification.bytesWrong, 0);
  assert.equal(run.info.verification.bytesChecked, 4 * 64 * 4_000_000);
  requireJoined(run);
  const engines = run.trace.lanes.filter((lane) => lane.kind === 'copy-engine').map((lane) => lane.id);
  assert.deepEqual(engines.sort(), ['engine:a:d2h', 'engine:a:h2d', 'engine:b:d2h', 'engine:b:h2d']);
});
