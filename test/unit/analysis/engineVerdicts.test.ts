/** Verdicts on copies that waited for a busy engine. */
import { expect, it } from 'vitest';
import { predict } from '../../../core/explain/remedies/predict.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const MB = 2 ** 20;
const kernel = (label: string, stream: string, durationNs: number) => ({
  op: 'kernel' as const,
  label,
  kernel: { kind: 'spin' as const, durationNs },
  smShare: 0.1,
  stream,
});
const streams = ['a', 'b', 'c'].map((id) => ({ id }));

it('a copy that was ready in time waited for its busy engine, though it had waited for its own stream before', () => {
  const copy = (index: number, stream: string) => ({
    op: 'copy' as const,
    label: `up ${stream}`,
    src: 'source',
    dst: `target${index}`,
    stream,
  });
  const experiment = experimentOf(
    {
      buffers: [
        { id: 'source', memory: 'pinned', bytes: 12 * MB },
        ...[12, 4].map((size, index) => ({ id: `target${index}`, memory: 'device' as const, bytes: size * MB })),
      ],
      streams,
    },
    [
      kernel('first', 'a', 100_000),
      copy(0, 'a'),
      kernel('second', 'b', 105_000),
      copy(1, 'b'),
      { op: 'work', durationNs: 45_000 },
      kernel('other', 'c', 100_000),
      { op: 'synchronizeDevice' },
    ],
  );
  const found = predict(experiment, h200Machine)?.verdicts.find(({ label }) => label === 'up b');
  expect(found).toMatchObject({ cause: 'engine-busy', blockedBy: 1 });
});
