import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { copyOperations, pasteOperations } from '../../../core/experiment/edit/clipboard.ts';
import { setOption, setStrategy } from '../../../core/experiment/edit/multiCopy.ts';
import { atEndOf, operationOf, operationPaths } from '../../../core/experiment/edit/paths.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { multiTensorBatch } from '../../../core/experiment/templates/training.ts';
import { lower } from '../../../core/program/lower.ts';

const example = requireExperiment(readFileSync('assets/examples/overlap/pinned-side-stream.json', 'utf8'));
const paths = operationPaths(example);
const all = copyOperations(example, paths);

describe('the clipboard', () => {
  it('holds what the operations name, and nothing else', () => {
    const [copy = []] = paths;
    const one = copyOperations(example, [copy]);
    expect(one.operations).toEqual([operationOf(example, copy)]);
    expect([one.buffers, one.streams, one.events].map((list) => list.map(({ id }) => id))).toEqual([
      ['source', 'target'],
      ['side'],
      [],
    ]);
  });

  it('brings into another document what that lacks', () => {
    const empty = emptyExperiment();
    const { experiment, selected } = pasteOperations(empty, all, atEndOf(empty, 0));
    expect(experiment.threads[0]?.operations).toEqual(example.threads[0]?.operations);
    expect(experiment.buffers).toEqual(example.buffers);
    expect(experiment.streams).toEqual(example.streams);
    expect(experiment.events).toEqual(example.events);
    expect(selected).toHaveLength(paths.length);
    expect(() => lower(experiment)).not.toThrow();
  });

  it('uses what the document has under the same name', () => {
    const own = { ...example, streams: [{ id: 'side', flags: 'blocking' as const, priority: -1 }] };
    const { experiment } = pasteOperations(own, all, atEndOf(own, 0));
    expect(experiment.streams).toEqual(own.streams);
    expect(experiment.buffers).toEqual(own.buffers);
    expect(experiment.threads[0]?.operations).toHaveLength(2 * paths.length);
  });

  it('leaves devices behind', () => {
    const devices = [
      { id: 'first', index: 0 },
      { id: 'second', index: 1 },
    ];
    const away = { ...example, devices, streams: [{ ...example.streams[0], device: 'second' }] } as typeof example;
    const empty = emptyExperiment();
    const { experiment } = pasteOperations(empty, copyOperations(away, operationPaths(away)), atEndOf(empty, 0));
    expect(experiment.streams[0]?.device).toBeUndefined();
  });
});

describe('a multi-tensor copy', () => {
  const batch = multiTensorBatch();
  const path = operationPaths(batch)[1] ?? [];
  const options = (experiment: typeof batch) => {
    const operation = operationOf(experiment, path);
    return operation.op === 'multiCopy' ? operation.options : null;
  };

  it('takes options of its strategy, within their range', () => {
    const changed = setOption(batch, path, 'slotBytes', 8192).experiment;
    expect(options(changed)).toEqual({ slotBytes: 8192 });
    expect(options(setOption(changed, path, 'slotBytes', undefined).experiment)).toEqual({});
    expect(() => setOption(batch, path, 'slotBytes', 1)).toThrow('1 is no whole number from 4096 to 1073741824');
    expect(() => setOption(batch, path, 'no-such', 1)).toThrow('no option "no-such"');
  });

  it('keeps with another strategy the options that it has too', () => {
    const both = setOption(setOption(batch, path, 'slotBytes', 8192).experiment, path, 'threads', 3).experiment;
    const changed = setStrategy(both, path, 'threaded-pinning').experiment;
    expect(options(changed)).toEqual({ threads: 3 });
    expect(() => lower(changed)).not.toThrow();
  });
});
