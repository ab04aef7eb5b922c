import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Content, Program } from '../../../core/program/program.ts';
import { runs } from '../../support/effort.ts';
import { contentByte } from '../../support/pattern.ts';
import { contentBytes, interpret } from './reference.ts';

/** An operation as in a document, without defaults. */
type OperationInput = { readonly op: OperationName; readonly [field: string]: unknown };

const bufferSizes = [8, 13, 16, 24, 24, 5];
const wordBuffers = [0, 2, 3, 4];

const patterns = fc.oneof(
  fc.record({ kind: fc.constant('random' as const), seed: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('index' as const), seed: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('constant' as const), value: fc.constantFrom(0, 0xdeadbeef, 0x01010101, 0x01020304) }),
);

const regions = fc
  .tuple(fc.nat({ max: bufferSizes.length - 1 }), fc.nat({ max: 30 }), fc.integer({ min: 1, max: 30 }))
  .map(([buffer, place, length]) => {
    const size = bufferSizes[buffer] ?? 1;
    const offset = place % size;
    return { buffer: `b${buffer}`, offset, bytes: Math.min(length, size - offset) };
  });

const writes: fc.Arbitrary<OperationInput> = fc
  .tuple(regions, patterns)
  .map(([region, pattern]) => ({ op: 'write', ...region, pattern }));
const reads: fc.Arbitrary<OperationInput> = regions.map((region) => ({ op: 'read', ...region }));
const copies: fc.Arbitrary<OperationInput> = fc
  .tuple(regions, regions)
  .filter(([src, dst]) => src.buffer !== dst.buffer)
  .map(([src, dst]) => ({
    op: 'copy',
    src: src.buffer,
    srcOffset: src.offset,
    dst: dst.buffer,
    dstOffset: dst.offset,
    bytes: Math.min(src.bytes, dst.bytes),
  }));
const kernels: fc.Arbitrary<OperationInput> = fc
  .tuple(fc.constantFrom(...wordBuffers), fc.constantFrom(...wordBuffers), fc.integer({ min: 1, max: 5 }))
  .map(([src, dst, passes]) => ({
    op: 'kernel',
    kernel: { kind: 'stream', passes },
    reads: [`b${src}`],
    writes: [`b${dst}`],
  }));

const memsets: fc.Arbitrary<OperationInput> = fc
  .tuple(regions, fc.nat({ max: 255 }))
  .map(([region, value]) => ({ op: 'memset', ...region, value }));
const pins: fc.Arbitrary<OperationInput> = fc.constantFrom(
  { op: 'pin', src: 'b3', dst: 'b4' },
  { op: 'pin', src: 'b4', dst: 'b3' },
);

const device = fc.oneof(copies, kernels, memsets);
const leaves = fc.oneof(writes, reads, copies, kernels, memsets, pins);

/** A temporary buffer, partly written, read, and copied from. */
const lifetimes: fc.Arbitrary<OperationInput> = fc
  .tuple(fc.array(leaves, { maxLength: 3 }), fc.nat({ max: 15 }), fc.constantFrom('b2', 'b3', 'b4'), fc.boolean())
  .map(([inside, from, other, reversed]): OperationInput => {
    const into: OperationInput = { op: 'copy', src: other, dst: 'made', dstOffset: from, bytes: 16 - from };
    const out: OperationInput = { op: 'copy', src: 'made', dst: other, bytes: 16 };
    const uses = reversed ? [out, ...inside, into] : [into, ...inside, out, { op: 'read', buffer: 'made' } as const];
    const operations = [{ op: 'allocate', buffer: 'made' }, ...uses, { op: 'free', buffer: 'made' }];
    return { op: 'range', name: 'lifetime', operations };
  });

/** A graph that is captured, with work of the host in between, and launched several times. */
const graphs: fc.Arbitrary<OperationInput> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: device }, writes, reads), { minLength: 1, maxLength: 4 }),
    fc.array(fc.oneof(leaves, fc.constant<OperationInput>({ op: 'graphLaunch', graph: 'g' })), { maxLength: 4 }),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([captured, after, count]): OperationInput => {
    const inside = captured.map((one) => (one.op === 'write' || one.op === 'read' ? one : { ...one, stream: 'side' }));
    const body = [{ op: 'repeat', count, operations: inside }];
    const capture = { op: 'graphCapture', graph: 'g', stream: 'side', operations: body };
    const operations = [capture, ...after, { op: 'graphLaunch', graph: 'g', stream: 'side' }];
    return { op: 'range', name: 'graph', operations };
  });

const { list } = fc.letrec<{ list: OperationInput[]; operation: OperationInput }>((tie) => ({
  operation: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 8, arbitrary: leaves },
    { weight: 1, arbitrary: lifetimes },
    { weight: 1, arbitrary: graphs },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: 5 }), tie('list'))
        .map(([count, operations]): OperationInput => ({ op: 'repeat', count, operations: operations })),
    },
  ),
  list: fc.array(tie('operation'), { minLength: 1, maxLength: 8 }),
}));

function program(threads: readonly OperationInput[][], sizes: readonly number[] = bufferSizes): Program {
  const buffers = sizes.map((bytes, index) => ({
    id: `b${index}`,
    // Accessible to both host and device.
    memory: 'pinned' as const,
    bytes,
    pattern: { kind: 'index' as const, seed: index * 100 },
  }));
  const made = { id: 'made', memory: 'pinned', bytes: 16, allocated: 'by-operation' };
  const experiment = requireExperiment({
    format: 'copyscope/experiment',
    version: 1,
    name: 'any',
    buffers: sizes === bufferSizes ? [...buffers, made] : buffers,
    streams: [{ id: 'side' }],
    threads: threads.map((operations, index) => ({ id: `t${index}`, operations })),
  });
  return lower(experiment);
}

/** Checks that every expectation equals the interpreter's result. */
function holds(lowered: Program, order?: number[]): void {
  const { buffers, reads } = interpret(lowered, order);
  for (const { buffer, offset, bytes, content } of lowered.expectations) {
    requireSame(`buffer ${buffer}`, content, buffers[buffer]?.subarray(offset, offset + bytes) ?? new Uint8Array());
  }
  for (const { thread, index, bytes } of reads) {
    const read = lowered.threads[thread]?.instructions[index];
    if (read?.code !== 'read') throw new Error('not a read');
    if (read.expected !== null) requireSame(`read ${index}`, read.expected, bytes);
  }
}

// A loop, since expect() is too slow for millions of bytes.
function requireSame(what: string, content: Content, bytes: Uint8Array): void {
  if (bytes.some((byte, index) => byte !== contentByte(content, index))) {
    throw new Error(`${what} holds ${bytes.join()}, not ${contentBytes(content, bytes.length).join()}`);
  }
}

/** Checks that expectations and unverifiable buffers together cover all written bytes. */
function isComplete(lowered: Program): void {
  lowered.buffers.forEach(({ written, bytes }, index) => {
    const covered = lowered.expectations.filter(({ buffer }) => buffer === index).reduce((sum, e) => sum + e.bytes, 0);
    const unverifiable = lowered.unverifiable.some(({ buffer }) => buffer === index);
    expect(covered === (written ? bytes : 0) || (written && unverifiable && covered < bytes)).toBe(true);
  });
}

describe('expected content', () => {
  it('is what sequential execution leaves, byte for byte, wherever it is known', () => {
    fc.assert(
      fc.property(list, (operations) => {
        const lowered = program([operations]);
        holds(lowered);
        isComplete(lowered);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is what execution leaves whichever host thread goes first', () => {
    fc.assert(
      fc.property(list, list, (first, second) => {
        const lowered = program([first, second]);
        holds(lowered, [0, 1]);
        holds(lowered, [1, 0]);
        isComplete(lowered);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is known for everything that copies and writes alone leave, loops included', () => {
    const moves = fc.array(fc.oneof(writes, copies), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(moves, moves, fc.integer({ min: 1, max: 1000 }), (before, inside, count) => {
        const lowered = program([[...before, { op: 'repeat', count, operations: inside }]]);
        expect(lowered.unverifiable).toEqual([]);
        holds(lowered);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is known for kernels whose words lie on their buffers, and only their torn words are not', () => {
    const whole = program([[{ op: 'kernel', kernel: { kind: 'stream', passes: 3 }, reads: ['b2'], writes: ['b3'] }]]);
    expect(whole.unverifiable).toEqual([]);
    const torn = program([
      [
        { op: 'write', buffer: 'b2', offset: 6, bytes: 4, pattern: { kind: 'random' } },
        { op: 'kernel', kernel: { kind: 'stream' }, reads: ['b2'], writes: ['b3'] },
      ],
    ]);
    const known = torn.expectations.filter(({ buffer }) => buffer === 3).map(({ offset, bytes }) => [offset, bytes]);
    // Words 1 and 2 hold bytes of both patterns; b3 is longer than what the kernel writes.
    expect(known).toEqual([
      [0, 4],
      [12, 4],
      [16, 8],
    ]);
    holds(torn);
  });
});

describe('a read', () => {
  const write = (kind: 'random' | 'index'): OperationInput => ({ op: 'write', buffer: 'b0', pattern: { kind } });
  const read: OperationInput = { op: 'read', buffer: 'b0' };
  const expected = (operations: OperationInput[]): (Content | null)[] =>
    (program([operations]).threads[0]?.instructions ?? []).flatMap((instruction) =>
      instruction.code === 'read' ? [instruction.expected] : [],
    );
  const random = { pattern: { kind: 'random', seed: 1 }, patternOffset: 0, multiplier: 1 };

  it('in a loop expects what each round finds', () => {
    expect(expected([{ op: 'repeat', count: 5, operations: [write('random'), read] }])).toEqual([random]);
  });

  it('a read in a loop expects nothing if rounds find different contents', () => {
    expect(expected([{ op: 'repeat', count: 2, operations: [read, write('random')] }])).toEqual([null]);
  });

  it('a read of several patterns is compared with each, in a loop as elsewhere', () => {
    const half = (offset: number, kind: 'random' | 'index'): OperationInput => ({
      op: 'write',
      buffer: 'b0',
      offset,
      bytes: 4,
      pattern: { kind },
    });
    const both = [half(0, 'random'), half(4, 'index'), { ...read, op: 'read', buffer: 'b0' } as const];
    const { instructions } = program([[{ op: 'repeat', count: 3, operations: both }, ...both]]).threads[0] ?? {};
    const reads = instructions?.flatMap((one) =>
      one.code === 'read' ? [[one.offset, one.bytes, one.expected?.pattern.kind]] : [],
    );
    const parts = [
      [0, 4, 'random'],
      [4, 4, 'index'],
    ];
    expect(reads).toEqual([...parts, ...parts]);
    expect(instructions?.findIndex(({ code }) => code === 'endRepeat')).toBe(
      instructions?.flatMap((one) => (one.code === 'repeat' ? [one.end] : []))[0],
    );
  });

  it('keeps what its author expects, in a loop as elsewhere', () => {
    const own: OperationInput = { ...read, op: 'read', buffer: 'b0', expect: { kind: 'constant', value: 7 } };
    const constant = { pattern: { kind: 'constant', value: 7 }, patternOffset: 0, multiplier: 1 };
    expect(expected([own, { op: 'repeat', count: 3, operations: [own, write('index')] }])).toEqual([
      constant,
      constant,
    ]);
  });

  it('expects nothing in a loop that is too long to follow, nor after it of what that wrote', () => {
    const grow: OperationInput = { op: 'kernel', kernel: { kind: 'stream' }, reads: ['b0'], writes: ['b0'] };
    const loop: OperationInput = { op: 'repeat', count: 10_000_000, operations: [grow, read] };
    expect(expected([write('random'), loop, read, write('random'), read])).toEqual([null, null, random]);
  });

  const memset: OperationInput = { op: 'memset', buffer: 'b0', value: 3, stream: 'side' };
  const threes = { pattern: { kind: 'constant', value: 0x03030303 }, patternOffset: 0, multiplier: 1 };
  const capture = (...operations: OperationInput[]): OperationInput => ({
    op: 'graphCapture',
    graph: 'g',
    stream: 'side',
    operations,
  });
  const launch: OperationInput = { op: 'graphLaunch', graph: 'g', stream: 'side' };

  it('in a capture happens at once, before what the capture gathers', () => {
    expect(expected([write('random'), capture(memset, read), read, launch, read])).toEqual([random, random, threes]);
  });
});

// The work is limited in these cases: without limits they take minutes or never end.
describe('following a program ends soon', () => {
  const grow: OperationInput = { op: 'kernel', kernel: { kind: 'stream' }, reads: ['b0'], writes: ['b0'] };
  const nest = (levels: number, inside: OperationInput[]): OperationInput[] =>
    levels === 0 ? inside : [{ op: 'repeat', count: 10_000_000, operations: [...nest(levels - 1, inside), grow] }];

  it('with loops in loops that never settle: what they write is unverifiable', () => {
    const lowered = program([nest(20, [grow])]);
    expect(lowered.unverifiable.map(({ buffer }) => buffer)).toEqual([0]);
    expect(lowered.expectations).toEqual([]);
  });

  it('with loops in loops that settle: what they write is known', () => {
    const copy: OperationInput = { op: 'copy', src: 'b3', dst: 'b4' };
    const settled = (levels: number): OperationInput[] =>
      levels === 0 ? [copy] : [{ op: 'repeat', count: 10_000_000, operations: settled(levels - 1) }];
    expect(program([settled(20)]).unverifiable).toEqual([]);
  });

  const chunks = (count: number, order: (index: number) => number): OperationInput[] =>
    Array.from({ length: count }, (_, index) => ({
      op: 'write',
      buffer: 'b0',
      offset: order(index) * 4,
      bytes: 4,
      pattern: { kind: 'random', seed: index },
    }));

  it('with 60,000 operations in no order: too many to follow', () => {
    const lowered = program([chunks(60_000, (i) => (i * 77_773) % 60_000)], [240_000]);
    expect(lowered.unverifiable.map(({ buffer }) => buffer)).toEqual([0]);
    isComplete(lowered);
  });
});
