import { describe, expect, it } from 'vitest';
import { bufferFinder, describeOperation } from '../../../core/experiment/describe.ts';
import { copyBytes } from '../../../core/experiment/operations/copy.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';

function described(operation: object): string {
  const experiment = requireExperiment({
    format: 'copyscope/experiment',
    version: 1,
    name: 'names',
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 20 * 1024 * 1024 },
      { id: 'other', memory: 'pageable', bytes: 20 * 1024 * 1024 },
      { id: 'device', memory: 'device', dtype: 'float32', shape: [1024, 1024] },
    ],
    events: [{ id: 'done' }],
    signals: [{ id: 'ready' }],
    streams: [{ id: 'side' }],
    threads: [{ id: 'main', operations: [operation] }],
  });
  const [first] = experiment.threads[0]?.operations ?? [];
  if (first === undefined) throw new Error('no operation');
  const name = describeOperation(first, experiment);
  expect(describeOperation(first, experiment, bufferFinder(experiment))).toBe(name);
  return name;
}

describe('an operation without a label is called', () => {
  it.each([
    [{ op: 'copy', src: 'host', dst: 'device' }, 'H2D 4.00 MiB'],
    [{ op: 'copy', src: 'device', dst: 'host', bytes: 100 }, 'D2H 100 B'],
    [{ op: 'copy', src: 'host', dst: 'other', srcOffset: 19 * 1024 * 1024 }, 'H2H 1.00 MiB'],
    [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 5 } }, 'spin kernel'],
    [{ op: 'work', durationNs: 1500 }, 'work 1.50 µs'],
    [{ op: 'recordEvent', event: 'done' }, 'record done'],
    [{ op: 'waitEvent', event: 'done' }, 'wait for done'],
    [{ op: 'synchronizeStream', stream: 'side' }, 'synchronize side'],
    [{ op: 'synchronizeDevice' }, 'synchronize device'],
    [{ op: 'repeat', count: 3, operations: [{ op: 'work', durationNs: 1 }] }, 'repeat 3×'],
    [{ op: 'range', name: 'step', operations: [{ op: 'work', durationNs: 1 }] }, 'step'],
    [{ op: 'read', buffer: 'host' }, 'read host'],
    [{ op: 'waitSignal', signal: 'ready' }, 'wait for ready'],
    [{ op: 'item', buffer: 'device' }, 'item device'],
    [{ op: 'multiCopy', payload: { tensors: 7, bytes: 4 }, strategy: 'packed' }, 'H2D 7 tensors, packed'],
  ])('%o: %s', (operation, name) => {
    expect(described(operation)).toBe(name);
  });

  it('its label, where it has one', () => {
    expect(described({ op: 'work', durationNs: 1, label: 'think' })).toBe('think');
  });
});

describe('copyBytes', () => {
  it('is 0 where a buffer is missing', () => {
    const copy = {
      op: 'copy',
      id: 'copy1',
      src: 'a',
      dst: 'b',
      srcOffset: 0,
      dstOffset: 0,
      stream: 'default',
      mode: 'async',
    } as const;
    expect(copyBytes(copy, () => undefined)).toBe(0);
  });
});
