/** Operations as typed text. */
import { describe, expect, it } from 'vitest';
import { atEndOf, operationOf } from '../../../core/experiment/edit/paths.ts';
import { addTyped, parseTyped, typedCompletions, typedProblem } from '../../../core/experiment/edit/typedOperation.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';

function typed(...lines: readonly string[]): Experiment {
  return lines.reduce<Experiment>((experiment, line) => {
    const operation = parseTyped(line);
    if (operation === null) throw new Error(`not read: ${line}`);
    return addTyped(experiment, operation, atEndOf(experiment, 0), { row: 'host' }).experiment;
  }, emptyExperiment());
}

describe('an operation that is typed', () => {
  it('is read with its size, memory, duration, event and stream', () => {
    expect(parseTyped('copy 64 MB pinned in side')).toEqual({
      name: 'copy',
      direction: 'h2d',
      bytes: 64_000_000,
      memory: 'pinned',
      stream: 'side',
    });
    expect(parseTyped('D2H 4KiB')).toMatchObject({ name: 'copy', direction: 'd2h', bytes: 4096 });
    expect(parseTyped('kernel 200 µs on default')).toMatchObject({ durationNs: 200_000, stream: 'default' });
    expect(parseTyped('record event copied in side')).toMatchObject({ name: 'recordEvent', event: 'copied' });
    expect(parseTyped('wait for copied in default')).toMatchObject({ name: 'waitEvent', event: 'copied' });
    expect(parseTyped('work 1.5 ms')).toMatchObject({ name: 'work', durationNs: 1_500_000 });
  });

  it('a typed text is no operation if it is only a name, or has anything else in it', () => {
    for (const text of [
      '',
      'copy',
      'Copy many tensors',
      'Record event',
      'kernel in',
      'work in side',
      'copy 1 MB sideways',
    ])
      expect(parseTyped(text)).toBeNull();
    expect(parseTyped('kernel in 2fast')).toBeNull();
  });

  it('is read with its direction, its ends, and the buffers of a kernel or memset', () => {
    expect(parseTyped('copy d2h 64 MB pinned in side')).toMatchObject({
      direction: 'd2h',
      bytes: 64e6,
      stream: 'side',
    });
    const experiment = typed(
      'kernel 500 us writes target',
      'memset 1 MB target',
      'copy 1 MB from batch to target in side',
      'd2h 1 MB pageable to result from target',
    );
    expect(experiment.threads[0]?.operations).toMatchObject([
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 500_000 }, writes: ['target'] },
      { op: 'memset', buffer: 'target', bytes: 1e6 },
      { op: 'copy', src: 'batch', dst: 'target', stream: 'side' },
      { op: 'copy', src: 'target', dst: 'result' },
    ]);
    expect(experiment.buffers.map(({ id, memory }) => `${id} ${memory}`)).toEqual([
      'target device',
      'batch pinned',
      'result pageable',
    ]);
  });

  it('names the word that a form does not take, with the form', () => {
    expect(typedProblem('copy 1 MB sideways')).toContain('“sideways”');
    expect(typedProblem('copy 1 MB sideways')).toContain('copy [h2d | d2h] SIZE');
    expect(typedProblem('kernel 5 us writes')).toContain('kernel DURATION');
    for (const text of ['', 'copy', 'Legacy', 'copy 1 MB']) expect(typedProblem(text)).toBeNull();
  });

  it('is completed with words of its form, and with what the experiment declares', () => {
    const experiment = typed('copy 1 MB in side', 'record copied');
    expect(typedCompletions('copy 1 MB p', experiment)).toEqual([
      'copy 1 MB pageable ',
      'copy 1 MB pinned ',
      'copy 1 MB pinned-write-combined ',
    ]);
    expect(typedCompletions('kernel 1 us writes ta', experiment)).toEqual(['kernel 1 us writes target ']);
    expect(typedCompletions('wait copied in s', experiment)).toEqual(['wait copied in side ']);
    expect(typedCompletions('wait c', experiment)).toEqual(['wait copied ']);
    expect(typedCompletions('cop', experiment)).toEqual([]);
  });

  it('brings what it names: buffers, stream and event', () => {
    const experiment = typed('copy 64 MB pinned in side', 'event copied in side', 'wait copied in default');
    expect(experiment.buffers).toMatchObject([
      { id: 'source', memory: 'pinned', bytes: 64_000_000 },
      { id: 'target', memory: 'device', bytes: 64_000_000 },
    ]);
    expect(experiment.streams.map(({ id }) => id)).toEqual(['side']);
    expect(experiment.events.map(({ id }) => id)).toEqual(['copied']);
    expect(experiment.threads[0]?.operations).toMatchObject([
      { op: 'copy', src: 'source', dst: 'target', stream: 'side' },
      { op: 'recordEvent', event: 'copied', stream: 'side' },
      { op: 'waitEvent', event: 'copied', stream: 'default' },
    ]);
  });

  it('uses what is there and fits', () => {
    const experiment = typed('copy 1 MiB pageable in side', 'd2h 1 MiB pageable in side', 'copy 1 MiB pinned');
    expect(experiment.buffers.map(({ id, memory }) => `${id} ${memory}`)).toEqual([
      'source pageable',
      'target device',
      'source2 pinned',
    ]);
    expect(operationOf(experiment, ['threads', 0, 'operations', 1])).toMatchObject({ src: 'target', dst: 'source' });
  });
});
