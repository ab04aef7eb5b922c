import { describe, expect, it } from 'vitest';
import { knownMachine } from '../../../core/lift/answers.ts';
import { assumptionsOf } from '../../../core/lift/assumptions.ts';
import { applyChanges } from '../../../core/lift/changes/apply.ts';
import { changeWords } from '../../../core/lift/changes/words.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { replay } from '../../../core/lift/replay.ts';
import { median } from '../../../core/statistics.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { h200Costs as costs } from '../machine/toy.ts';

interface Node {
  readonly kind: 'kernel' | 'copy';
  readonly at: number;
  readonly us: number;
  readonly stream?: number;
}

/** Returns four steps of 4 ms that launch one graph of these nodes, and wait for it. */
const steps = (nodes: readonly Node[]) =>
  Array.from({ length: 4 }, (_, step) => {
    const at = 1000 + step * 4000;
    const correlation = step + 1;
    const place = (stream = 7) => ({ correlation, device: 0, stream });
    return [
      complete('user_annotation', 'step', at, 3995),
      complete('cuda_runtime', 'cudaGraphLaunch', at + 10, 20, { correlation }),
      ...nodes.map(({ kind, at: from, us, stream }) =>
        kind === 'kernel'
          ? complete('kernel', 'work', at + from, us, place(stream))
          : complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', at + from, us, {
              ...place(stream),
              bytes: 1 << 20,
            }),
      ),
      complete('cuda_runtime', 'cudaStreamSynchronize', at + 40, 3950, { correlation: 100 + step }),
    ];
  }).flat();

const copyFirst: Node[] = [
  { kind: 'copy', at: 50, us: 330 },
  { kind: 'kernel', at: 380, us: 1800 },
  { kind: 'kernel', at: 2181, us: 1800 },
];
const branches: Node[] = [
  { kind: 'kernel', at: 50, us: 500 },
  { kind: 'kernel', at: 551, us: 2400, stream: 7 },
  { kind: 'kernel', at: 552, us: 3300, stream: 21 },
  { kind: 'kernel', at: 3853, us: 130 },
];

describe.each([
  ['whose first node is a copy', copyFirst],
  ['with branches in several streams', branches],
])('a graph %s', (_, nodes) => {
  it('takes in the replay what it took', async () => {
    const { trace } = await read(traceOf(steps(nodes)));
    const { script, recordedNs } = liftTrace(trace, 'graph');
    expect(Math.abs(replay(script, costs).stepNs / median(recordedNs) - 1)).toBeLessThan(0.02);
    expect(script.inferred.join(' ')).toContain('CUDA graph');
  });

  it('is one launch, and has no copy that a change could move', async () => {
    const { script } = liftTrace((await read(traceOf(steps(nodes)))).trace, 'graph');
    const assumed = assumptionsOf(script, knownMachine(costs));
    for (const { items } of applyChanges(
      script,
      changeWords.filter((word) => !word.endsWith('-wait')),
      assumed,
    ).steps) {
      expect(items.filter(({ kind }) => kind === 'launch')).toEqual([
        expect.objectContaining({ nodes: nodes.length, name: `graph of ${nodes.length} nodes` }),
      ]);
      expect(items.filter(({ kind }) => kind === 'copy' || kind === 'graph')).toEqual([]);
    }
  });
});

it('a graph of which a branch begins before the program’s own stream is waited for there', async () => {
  let correlation = 0;
  const call = (name: string, at: number, us: number) =>
    complete('cuda_runtime', name, at, us, { correlation: ++correlation });
  const kernel = (at: number, us: number, stream: number) =>
    complete('kernel', 'work', at, us, { correlation, device: 0, stream });
  const events = [0, 1, 2, 3].flatMap((number) => {
    const at = 1000 + number * 4000;
    return [
      complete('user_annotation', 'step', at, 3995),
      ...[call('cudaLaunchKernel', at + 5, 4), kernel(at + 12, 30, 7)],
      ...[call('cudaGraphLaunch', at + 10, 20), kernel(at + 50, 2000, 21), kernel(at + 51, 1500, 7)],
      ...[call('cudaLaunchKernel', at + 32, 4), kernel(at + 2060, 1900, 7)],
      call('cudaStreamSynchronize', at + 40, 3950),
    ];
  });
  const { script, recordedNs } = liftTrace((await read(traceOf(events))).trace, 'graph');
  const streams = script.steps.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'launch' ? [item.stream] : [])),
  );
  expect(new Set(streams).size).toBe(1);
  expect(Math.abs(replay(script, costs).stepNs / median(recordedNs) - 1)).toBeLessThan(0.02);
});

it.each([
  'pytorch-pairs-h200/launches.graph',
  'pytorch-unseen-h100/recurrent.graph',
  'pytorch-several-h200/branches.each',
])('the recorded program %s takes in the replay what it took', async (name) => {
  const { trace } = await importTraceFile(`test/fixtures/${name}.json.gz`, 'test');
  const { script, recordedNs } = liftTrace(trace, name);
  expect(Math.abs(replay(script, costs).stepNs / median(recordedNs.slice(1)) - 1)).toBeLessThan(0.04);
});
