import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternSchema } from '../../core/experiment/resources.ts';
import { loadAddon } from '../../native/addon.ts';
import { decodeTrace } from '../../native/decode.ts';
import { layout, patternKinds } from '../../native/layout.ts';
import { contentByte } from '../support/pattern.ts';
import { describeNative, request } from './support.ts';

describeNative('the addon', () => {
  test('was built with the same layout', () => {
    expect(loadAddon().layout).toBe(layout);
  });
});

describeNative('patterns', () => {
  const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });

  test('are the same bytes in C++ as in TypeScript', () => {
    const addon = loadAddon();
    const pattern = fc.oneof(
      fc.record({ kind: fc.constant('random' as const), seed: uint32 }),
      fc.record({ kind: fc.constant('index' as const), seed: uint32 }),
      fc.record({ kind: fc.constant('constant' as const), value: uint32 }),
    );
    const offset = fc.oneof(fc.integer({ min: 0, max: 64 }), fc.integer({ min: 0, max: 2 ** 39 }));
    fc.assert(
      fc.property(
        pattern,
        uint32,
        offset,
        fc.integer({ min: 0, max: 40 }),
        (given, multiplier, patternOffset, length) => {
          const content = { pattern: patternSchema.parse(given), patternOffset, multiplier };
          const value = given.kind === 'constant' ? given.value : given.seed;
          const bytes = addon.contentBytes(patternKinds.indexOf(given.kind), value, multiplier, patternOffset, length);
          expect([...bytes]).toEqual(Array.from({ length }, (_, index) => contentByte(content, index)));
        },
      ),
    );
  });
});

describe('decoding', () => {
  const { program } = request({
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 64 },
      { id: 'device', memory: 'device', bytes: 64 },
    ],
    streams: [{ id: 's' }],
    operations: [
      { op: 'copy', src: 'host', dst: 'device', stream: 's' },
      { op: 'copy', src: 'device', dst: 'host', stream: 's' },
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 5 }, stream: 's', label: 'busy' },
    ],
    environment: { iterations: 1 },
  });
  const host = {
    startNs: new Float64Array(1),
    durationNs: Float64Array.of(4),
    bytes: new Float64Array(1),
    op: new Int32Array(1),
    correlation: Int32Array.of(1),
    iteration: new Int32Array(1),
    kind: new Uint8Array(1),
    thread: new Int32Array(1),
    worker: new Int32Array(1),
    call: Uint8Array.of(1),
  };
  const device = (channelTypes: number[], startNs = [10, 20, 30]) => ({
    startNs: Float64Array.from(startNs),
    durationNs: Float64Array.of(5, 5, 5),
    bytes: Float64Array.of(64, 64, 0),
    op: Int32Array.of(0, 1, 2),
    correlation: Int32Array.of(1, 2, 3),
    iteration: new Int32Array(3),
    kind: Uint8Array.of(6, 6, 7),
    stream: new Int32Array(3),
    channel: Int32Array.of(9, 13, 2),
    channelType: Uint8Array.from(channelTypes),
    src: Uint8Array.of(2, 6, 0),
    dst: Uint8Array.of(6, 2, 0),
  });
  const none = new Float64Array(0);
  const result = (columnsOfDevice: ReturnType<typeof device>) => ({
    host,
    device: columnsOfDevice,
    checks: {
      op: new Int32Array(0),
      buffer: new Int32Array(0),
      multiCopy: new Int32Array(0),
      checked: none,
      wrong: none,
      firstWrong: none,
    },
    elapsed: { op: new Int32Array(0), iteration: new Int32Array(0), durationNs: none },
    memory: [],
    recordedWallNs: Float64Array.of(50),
    plainWallNs: Float64Array.of(40),
    timing: 'cupti',
    notes: [],
  });
  const engines = (channelTypes: number[]): (string | undefined)[] => {
    const trace = decodeTrace(program, result(device(channelTypes)));
    return [...trace.columns.engine].slice(1).map((lane) => trace.lanes[lane]?.id);
  };

  test('copies lie on the engine of their direction, or on compute where they went that way', () => {
    expect(engines([2, 2, 1])).toEqual(['engine:gpu:h2d', 'engine:gpu:d2h', 'compute:gpu']);
    expect(engines([0, 0, 0])).toEqual(['engine:gpu:h2d', 'engine:gpu:d2h', 'compute:gpu']);
    expect(engines([1, 2, 1])).toEqual(['compute:gpu', 'engine:gpu:d2h', 'compute:gpu']);
  });

  test('names are the call on the host and the label on the device', () => {
    const trace = decodeTrace(program, result(device([2, 2, 1])));
    expect([...trace.columns.name].map((name) => trace.names[name])).toEqual([
      'cudaMemcpyAsync',
      'H2D 64 B',
      'D2H 64 B',
      'busy',
    ]);
    expect([...trace.columns.channel]).toEqual([-1, 9, 13, 2]);
  });

  test('an activity before the gate opened moves the start of its iteration', () => {
    const trace = decodeTrace(program, result(device([2, 2, 1], [-3, 20, 30])));
    expect([...trace.columns.startNs]).toEqual([0, 3, 23, 33]);
  });

  test('columns that name a lane or kind that is not there are refused', () => {
    const bad = { ...device([2, 2, 1]), kind: Uint8Array.of(6, 6, 99) };
    expect(() => decodeTrace(program, result(bad))).toThrow(expect.objectContaining({ code: 'trace.invalid' }));
    const stream = { ...device([2, 2, 1]), stream: Int32Array.of(0, 0, 4) };
    expect(() => decodeTrace(program, result(stream))).toThrow(expect.objectContaining({ code: 'trace.invalid' }));
  });
});
