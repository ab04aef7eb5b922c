import { describe, expect, it } from 'vitest';
import { parseExperiment } from '../../../core/experiment/parse.ts';

interface Parts {
  readonly [part: string]: unknown;
}

const document: Parts = {
  format: 'copyscope/experiment',
  version: 1,
  name: 'references',
  devices: [{ id: 'gpu' }],
  buffers: [
    { id: 'source', memory: 'pageable', bytes: 64 },
    { id: 'pinned', memory: 'pinned', bytes: 64 },
    { id: 'target', memory: 'device', bytes: 32 },
  ],
  streams: [{ id: 'side' }],
  events: [{ id: 'done' }],
  signals: [{ id: 'ready' }],
  threads: [{ id: 'main', operations: [] }],
};

const withOperation = (operation: Parts): Parts => ({ threads: [{ id: 'main', operations: [operation] }] });
const copy = { op: 'copy', src: 'source', dst: 'target' };

function problems(
  parts: Parts,
): readonly { field?: string | undefined; message: string; remedy?: string | undefined }[] {
  const parsed = parseExperiment({ ...document, ...parts });
  return parsed.ok ? [] : parsed.problems;
}

const at = 'threads[0].operations[0]';

describe('references', () => {
  it.each<[string, Parts]>([
    ['a declared stream', { ...copy, stream: 'side' }],
    ['the default stream', { ...copy, stream: 'default' }],
    ['the legacy default stream', { ...copy, stream: 'legacy' }],
    ['the per-thread default stream', { ...copy, stream: 'per-thread' }],
    ['the whole of the smaller buffer', { ...copy, bytes: 32 }],
    ['the last byte', { op: 'read', buffer: 'target', offset: 31, bytes: 1 }],
    ['an event', { op: 'recordEvent', event: 'done' }],
    ['buffers of one size', { op: 'pin', src: 'source', dst: 'pinned' }],
    ['operations inside others', { op: 'repeat', count: 2, operations: [copy] }],
  ])('to %s resolve', (_, operation) => {
    expect(problems(withOperation(operation))).toEqual([]);
  });

  it.each<[string, Parts, string, RegExp]>([
    ['a stream', { ...copy, stream: 'other' }, 'stream', /no stream is called "other"/],
    ['a source', { ...copy, src: 'other' }, 'src', /no buffer is called "other"/],
    ['an event', { op: 'waitEvent', event: 'other' }, 'event', /no event/],
    ['a signal', { op: 'signal', signal: 'other' }, 'signal', /no signal/],
    ['a device', { op: 'synchronizeDevice', device: 'other' }, 'device', /no device/],
    ['a copy into itself', { ...copy, dst: 'source' }, 'dst', /two different buffers/],
    ['an offset beyond the source', { ...copy, srcOffset: 64 }, 'srcOffset', /lies beyond "source" \(64 bytes\)/],
    ['more bytes than the destination has', { ...copy, bytes: 33 }, 'bytes', /reach beyond "target" \(32 bytes\)/],
    ['a read beyond the end', { op: 'read', buffer: 'target', offset: 30, bytes: 3 }, 'bytes', /reach beyond/],
    ['buffers of two sizes', { op: 'pin', src: 'source', dst: 'target' }, 'dst', /64 bytes and "target" has 32/],
    ['an empty group', { op: 'range', name: 'empty', operations: [] }, 'operations', /at least one operation/],
    ['a streaming kernel without buffers', { op: 'kernel', kernel: { kind: 'stream' } }, 'reads', /exactly one buffer/],
    [
      'an operation inside others',
      { op: 'repeat', count: 2, operations: [{ op: 'range', name: 'in', operations: [{ ...copy, src: 'x' }] }] },
      'operations[0].operations[0].src',
      /no buffer is called "x"/,
    ],
  ])('to %s are refused with the field and a remedy', (_, operation, field, message) => {
    const found = problems(withOperation(operation)).find((problem) => problem.field === `${at}.${field}`);
    expect(found?.message).toMatch(message);
    expect(found?.remedy).toMatch(/\S/);
  });

  it.each<[string, Parts, string, RegExp]>([
    [
      'two buffers of one id',
      {
        buffers: [
          { id: 'a', memory: 'device', bytes: 1 },
          { id: 'a', memory: 'device', bytes: 1 },
        ],
      },
      'buffers[1].id',
      /declared twice/,
    ],
    ['two streams of one id', { streams: [{ id: 's' }, { id: 's' }] }, 'streams[1].id', /twice/],
    ['two events of one id', { events: [{ id: 'e' }, { id: 'e' }] }, 'events[1].id', /twice/],
    [
      'a buffer on no device',
      { buffers: [{ id: 'a', memory: 'device', bytes: 1, device: 'x' }] },
      'buffers[0].device',
      /no device/,
    ],
    [
      'host memory on a device',
      { buffers: [{ id: 'a', memory: 'pinned', bytes: 1, device: 'gpu' }] },
      'buffers[0].device',
      /no device/,
    ],
    ['a stream on no device', { streams: [{ id: 's', device: 'x' }] }, 'streams[0].device', /no device/],
    [
      'a shape beyond any device',
      { buffers: [{ id: 'a', memory: 'device', dtype: 'uint8', shape: [2 ** 40, 2 ** 40] }] },
      'buffers[0].shape',
      /more than 1 TiB/,
    ],
  ])('among declarations: %s', (_, parts, field, message) => {
    expect(problems(parts).find((problem) => problem.field === field)?.message).toMatch(message);
  });

  it('name what could be meant instead', () => {
    const [problem] = problems(withOperation({ ...copy, src: 'other' }));
    expect(problem?.remedy).toBe('Declare it, or name another (declared: source, pinned, target).');
    const buffers = Array.from({ length: 9 }, (_, index) => ({ id: `b${index}`, memory: 'device', bytes: 8 }));
    const many = problems({ buffers, ...withOperation({ op: 'read', buffer: 'other' }) })[0];
    expect(many?.remedy).toContain('b0, b1, b2, b3, b4, b5, b6, b7, …');
    const none = problems({ events: [], ...withOperation({ op: 'recordEvent', event: 'x' }) })[0];
    expect(none?.remedy).toContain('none is declared');
  });
});
