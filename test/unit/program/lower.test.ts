import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';

type OperationInput = { readonly op: OperationName; readonly [field: string]: unknown };

function program(operations: readonly OperationInput[] | readonly OperationInput[][], more: object = {}): Program {
  const threads = Array.isArray(operations[0]) ? (operations as OperationInput[][]) : [operations];
  return lower(
    requireExperiment({
      format: 'copyscope/experiment',
      version: 1,
      name: 'lowering',
      buffers: [
        { id: 'host', memory: 'pinned', bytes: 64 },
        { id: 'device', memory: 'device', bytes: 64 },
        { id: 'odd', memory: 'device', bytes: 6 },
      ],
      streams: [{ id: 'side' }, { id: 'blocking', flags: 'blocking', priority: -1 }],
      events: [{ id: 'done' }],
      threads: threads.map((list, index) => ({ id: `t${index}`, operations: list })),
      ...more,
    }),
  );
}

const copy = (more: object = {}): OperationInput => ({ op: 'copy', src: 'host', dst: 'device', ...more });
const sync = (stream: string): OperationInput => ({ op: 'synchronizeStream', stream });

/** Returns kind and thread of the stream that each instruction of a thread uses. */
function streamsOf(lowered: Program, thread = 0): (string | undefined)[] {
  return (lowered.threads[thread]?.instructions ?? []).flatMap((instruction) =>
    'stream' in instruction ? [lowered.streams[instruction.stream]?.id] : [],
  );
}

describe('streams', () => {
  const everywhere = ['default', 'legacy', 'per-thread', 'side'].map((stream) => copy({ stream }));

  it('"default" is the legacy default stream by default', () => {
    const lowered = program(everywhere);
    expect(streamsOf(lowered)).toEqual(['legacy default', 'legacy default', 'default of t0', 'side']);
    expect(lowered.streams.map(({ kind }) => kind)).toEqual([
      'non-blocking',
      'blocking',
      'legacy-default',
      'per-thread-default',
    ]);
  });

  it('"default" is the per-thread default stream where the environment says so', () => {
    const lowered = program([everywhere, everywhere], { environment: { defaultStream: 'per-thread' } });
    expect(streamsOf(lowered, 0)).toEqual(['default of t0', 'legacy default', 'default of t0', 'side']);
    expect(streamsOf(lowered, 1)).toEqual(['default of t1', 'legacy default', 'default of t1', 'side']);
    expect(lowered.streams.filter(({ kind }) => kind === 'per-thread-default').map(({ thread }) => thread)).toEqual([
      0, 1,
    ]);
  });

  it('each device has a legacy default stream of its own', () => {
    const lowered = program([], {
      devices: [{ id: 'first' }, { id: 'second', index: 1 }],
      buffers: [],
      threads: [
        { id: 'a', operations: [sync('legacy')] },
        { id: 'b', device: 'second', operations: [sync('legacy')] },
      ],
    });
    expect([...streamsOf(lowered, 0), ...streamsOf(lowered, 1)]).toEqual(['legacy default', 'legacy default second']);
    expect(lowered.streams.slice(2).map(({ device }) => device)).toEqual([0, 1]);
  });
});

describe('a copy', () => {
  it('that is asynchronous is one instruction', () => {
    const [first, ...rest] = program([copy({ stream: 'side' })]).threads[0]?.instructions ?? [];
    expect(rest).toEqual([]);
    expect(first).toEqual({
      code: 'copy',
      op: 0,
      src: 0,
      srcOffset: 0,
      dst: 1,
      dstOffset: 0,
      bytes: 64,
      stream: 0,
      blocking: false,
    });
  });

  it('a copy as by Tensor.to(non_blocking=False) is followed by a synchronise of its own stream, under its number', () => {
    const instructions = program([copy({ stream: 'side', mode: 'blocking-to' })]).threads[0]?.instructions;
    expect(instructions).toMatchObject([
      { code: 'copy', op: 0, stream: 0, blocking: false },
      { code: 'synchronizeStream', op: 0, stream: 0 },
    ]);
  });

  it.each(['legacy', 'per-thread'])(
    'by cudaMemcpy runs in the default stream (%s), whatever it names',
    (defaultStream) => {
      const lowered = program([copy({ stream: 'side', mode: 'blocking-memcpy' })], { environment: { defaultStream } });
      expect(lowered.threads[0]?.instructions).toMatchObject([{ code: 'copy', blocking: true }]);
      expect(streamsOf(lowered)).toEqual([defaultStream === 'legacy' ? 'legacy default' : 'default of t0']);
    },
  );

  it('moves all that fits in both buffers where it says nothing', () => {
    const { instructions } =
      program([copy({ srcOffset: 60 }), copy({ dst: 'odd' }), copy({ bytes: 7 })]).threads[0] ?? {};
    expect(instructions?.map((instruction) => (instruction.code === 'copy' ? instruction.bytes : null))).toEqual([
      4, 6, 7,
    ]);
  });
});

const work: OperationInput = { op: 'work', durationNs: 1 };

it('operations are numbered in document order, and every number leads back to its operation', () => {
  const { list } = fc.letrec<{ list: OperationInput[]; operation: OperationInput }>((tie) => ({
    operation: fc.oneof(
      { maxDepth: 4 },
      fc.constant(work),
      tie('list').map((operations): OperationInput => ({ op: 'repeat', count: 2, operations })),
      tie('list').map((operations): OperationInput => ({ op: 'range', name: 'r', operations })),
    ),
    list: fc.array(tie('operation'), { minLength: 1, maxLength: 4 }),
  }));
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 3 }), (threads) => {
      const lowered = program(threads);
      const document = { threads: threads.map((operations) => ({ operations })) };
      const inOrder: unknown[] = [];
      const collect = (operations: readonly OperationInput[]): void => {
        for (const operation of operations) {
          inOrder.push(operation);
          collect((operation['operations'] as OperationInput[] | undefined) ?? []);
        }
      };
      threads.forEach(collect);
      const found = lowered.operations.map(({ path }) =>
        path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document),
      );
      expect(lowered.operations.map(({ op }) => op)).toEqual(inOrder.map((_, op) => op));
      // The same objects: each number refers to its own operation.
      expect(found.every((operation, op) => operation === inOrder[op])).toBe(true);
    }),
  );
});

it('a kernel over half a word is refused with its field', () => {
  const kernel: OperationInput = { op: 'kernel', kernel: { kind: 'stream' }, reads: ['odd'], writes: ['device'] };
  expect(() => program([kernel])).toThrow(
    expect.objectContaining({ code: 'experiment.invalid', field: 'threads[0].operations[0].reads' }),
  );
});

describe('each operation', () => {
  const made = (memory: string) => ({
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 64 },
      { id: 'made', memory, bytes: 64, allocated: 'by-operation' },
    ],
  });

  it('free uses the allocator that the buffer came from', () => {
    const lowered = program(
      [
        { op: 'allocate', buffer: 'made', allocator: 'pool', stream: 'side' },
        { op: 'recordStream', buffer: 'made', stream: 'blocking' },
        { op: 'free', buffer: 'made', stream: 'side' },
      ],
      made('device'),
    );
    expect(lowered.threads[0]?.instructions).toEqual([
      { code: 'allocate', op: 0, buffer: 1, allocator: 'pool', stream: 0 },
      { code: 'recordStream', op: 1, buffer: 1, stream: 1 },
      { code: 'free', op: 2, buffer: 1, allocator: 'pool', stream: 0 },
    ]);
    expect(lowered.buffers.map(({ allocated }) => allocated)).toEqual(['before-run', 'by-operation']);
  });

  it('a multi-tensor copy gets a plan with the size of each tensor', () => {
    const operation: OperationInput = {
      op: 'multiCopy',
      payload: { tensors: 5, bytes: [8, 16] },
      strategy: 'packed',
      options: { pack_cpu_tensors: false },
    };
    const lowered = program([{ op: 'work', durationNs: 1 }, operation]);
    expect(lowered.multiCopies).toEqual([
      {
        direction: 'h2d',
        sizes: Float64Array.of(8, 16, 8, 16, 8),
        memory: 'pageable',
        strategy: 'packed',
        options: { pack_cpu_tensors: false },
      },
    ]);
    expect(lowered.threads[0]?.instructions[1]).toMatchObject({ code: 'multiCopy', op: 1, plan: 0 });
  });

  it.each([
    [{ slotBytes: 65_536 }, 'packed', 'has no option'],
    [{ threads: 2 }, 'blocking-loop', 'has none'],
    [{ threads: 0 }, 'pipelined', 'from 1 to'],
    [{ threads: true }, 'threaded-pinning', 'from 1 to'],
    [{ use_background_thread: 1 }, 'packed', 'neither true nor false'],
  ])('a multi-tensor copy refuses options %o of strategy %s', (options, strategy, words) => {
    const operation: OperationInput = { op: 'multiCopy', payload: { tensors: 1, bytes: 8 }, strategy, options };
    const field = `threads[0].operations[0].options.${Object.keys(options)[0]}`;
    const said = (error: { message: string; remedy: string }) => `${error.message} ${error.remedy}`.includes(words);
    let thrown: unknown = null;
    try {
      program([operation]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'experiment.invalid', field });
    expect(said(thrown as { message: string; remedy: string })).toBe(true);
  });

  it('the environment goes into the program', () => {
    const environment = { launchBlocking: true, peerAccess: true, visibleDevices: [2, 0] };
    expect(program([], { environment })).toMatchObject(environment);
    expect(program([])).toMatchObject({ launchBlocking: false, peerAccess: false, visibleDevices: null });
  });
});
