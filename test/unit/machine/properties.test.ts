import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyStrategies } from '../../../core/experiment/operations.ts';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import type { Point } from '../../../core/machine/profile/schema.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import type { Instruction, Program } from '../../../core/program/program.ts';
import { copies, eventOperations } from '../support/operations.ts';
import {
  buffers,
  h200Costs,
  mostKernels,
  type Operations,
  type PlainRow,
  program,
  programWith,
  run,
  streams,
  toyCosts,
  toyProfile,
  toyWith,
} from './toy.ts';

const stream = fc.constantFrom('a', 'b', 'blocking', 'blocking2', 'legacy', 'per-thread');
const event = fc.constantFrom('e', 'f');
const size = fc.integer({ min: 1, max: 5000 });
const duration = fc.integer({ min: 0, max: 2000 });

const copyOf = (src: string, dst: string, mode: fc.Arbitrary<string> = fc.constant('async')) =>
  copies([src], [dst], { stream, bytes: size, mode });
const anyMode = fc.constantFrom('async', 'blocking-to', 'blocking-memcpy');
const pinnedCopies = fc.oneof(copyOf('pinned', 'device'), copyOf('device2', 'pinned2'));
const otherCopies = fc.oneof(
  copyOf('pinned', 'device', anyMode),
  copyOf('pageable', 'device', anyMode),
  copyOf('device2', 'pageable', anyMode),
  copyOf('pageable', 'pinned', anyMode),
  copyOf('device', 'device2', anyMode),
);
const kernels = fc.record({
  op: fc.constant('kernel'),
  kernel: fc.record({ kind: fc.constant('spin'), durationNs: duration }),
  stream,
});
const fills = fc.record({
  op: fc.constant('kernel'),
  kernel: fc.record({ kind: fc.constant('stream'), passes: fc.integer({ min: 1, max: 20 }) }),
  reads: fc.constant(['small']),
  writes: fc.constant(['small2']),
  stream,
});
const memsets = fc.record({ op: fc.constant('memset'), buffer: fc.constant('device'), bytes: size, stream });
const hostFunctions = fc.record({ op: fc.constant('hostFunction'), durationNs: duration, stream });
const shares = fc.record({
  op: fc.constant('kernel'),
  kernel: fc.record({ kind: fc.constant('arithmetic'), flops: fc.integer({ min: 1, max: 2000 }) }),
  smShare: fc.constantFrom(0.1, 0.25, 0.5, 1),
  stream,
});
const items = fc.record({ op: fc.constant('item'), buffer: fc.constant('device'), stream });
/** Operations that may be captured in stream a. */
const captured = fc
  .array(
    fc.oneof(copyOf('pinned', 'device'), copyOf('device2', 'pinned2'), kernels, fills, memsets, hostFunctions, shares),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((list) => list.map((operation) => ({ ...operation, stream: 'a' })));
/** Graphs of one capture and two launches in some stream. */
const graphs = fc
  .tuple(captured, fc.constantFrom('a', 'b', 'blocking', 'legacy'), fc.nat())
  .map(([inside, launchStream, id]) => {
    const graph = `g${id}`;
    const launch = { op: 'graphLaunch', graph, stream: launchStream };
    const capture = { op: 'graphCapture', graph, stream: 'a', operations: inside };
    return { op: 'range', name: graph, operations: [capture, launch, launch] };
  });
const multiCopies = fc.record({
  op: fc.constant('multiCopy'),
  direction: fc.constantFrom('h2d', 'd2h', 'd2d', 'h2h'),
  payload: fc.record({
    tensors: fc.integer({ min: 1, max: 5 }),
    bytes: size,
    memory: fc.constantFrom('pageable', 'pinned'),
  }),
  strategy: fc.constantFrom(...copyStrategies),
  stream,
});
const events = eventOperations({ event, stream });
const hostOperations = fc.oneof(
  fc.record({ op: fc.constant('work'), durationNs: duration }),
  fc.record({ op: fc.constant('synchronizeStream'), stream }),
  fc.record({ op: fc.constant('synchronizeEvent'), event }),
  fc.constant({ op: 'synchronizeDevice' }),
);
const asynchronous = fc.oneof(
  { weight: 4, arbitrary: pinnedCopies },
  { weight: 2, arbitrary: kernels },
  { weight: 2, arbitrary: fills },
  { weight: 3, arbitrary: events },
);
/** Short copies of one direction in more streams than an engine has queues, often behind a kernel. */
const crowded = fc.oneof(
  { weight: 4, arbitrary: copyOf('pinned', 'device').map((copy) => ({ ...copy, bytes: 1 })) },
  { weight: 1, arbitrary: kernels },
  { weight: 1, arbitrary: events },
);
const anything = fc.oneof(
  { weight: 5, arbitrary: asynchronous },
  { weight: 2, arbitrary: otherCopies },
  { weight: 2, arbitrary: fc.oneof(memsets, hostFunctions, shares, items) },
  { weight: 1, arbitrary: graphs },
  { weight: 1, arbitrary: hostOperations },
);

/** Multi-tensor copies with their own threads issue work in an order that isn't the program's. */
const everything = fc.oneof({ weight: 8, arbitrary: anything }, { weight: 1, arbitrary: multiCopies });

const twoDevices = {
  devices: [{ id: 'gpu' }, { id: 'far', index: 1 }],
  buffers: [...(buffers ?? []), { id: 'there', memory: 'device', device: 'far', bytes: 100_000 }],
  streams: [...(streams ?? []), { id: 'far', device: 'far' }, { id: 'far-blocking', device: 'far', flags: 'blocking' }],
};
const onTwoDevices = fc.oneof(
  anything,
  fc.record({
    op: fc.constant('kernel'),
    kernel: fc.record({ kind: fc.constant('spin'), durationNs: duration }),
    stream: fc.constantFrom('far', 'far-blocking'),
  }),
  fc
    .constantFrom(['device', 'there'], ['there', 'device'])
    .map(([src, dst]) => ({ op: 'copy', label: 'peer', src, dst, bytes: 1000, mode: 'blocking-memcpy' })),
);

const operations = (one: fc.Arbitrary<unknown>) => fc.array(one, { maxLength: 40 }).map((list) => list as Operations);
const programs = (one: fc.Arbitrary<unknown>, threads = 1) =>
  fc.array(operations(one), { minLength: 1, maxLength: threads }).map((lists) => program(...lists));

const check = <Value>(values: fc.Arbitrary<Value>, predicate: (value: Value) => void) =>
  fc.assert(fc.property(values, predicate), { numRuns: 200 });

type Span = Pick<PlainRow, 'start' | 'end'>;

const onDevice = (row: PlainRow): boolean => row.lane.startsWith('stream:');
/** Returns true if it occupies its engine, or all multiprocessors, alone. */
const exclusive = (row: PlainRow): boolean => row.engine !== '' && row.name !== 'spin kernel';
const isMark = (row: PlainRow): boolean => row.kind.startsWith('event-');
/** Sorts by issue: rows of a graph launch share a correlation and go by time, without duration first. */
const issued = (rows: readonly PlainRow[]): PlainRow[] =>
  rows.filter(onDevice).sort((a, b) => a.correlation - b.correlation || a.start - b.start || a.end - b.end);
function group(rows: readonly PlainRow[], key: (row: PlainRow) => string): PlainRow[][] {
  const groups = new Map<string, PlainRow[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups.values()];
}
/** Sorts by start; rows without duration come first among equal ones. */
const byTime = (rows: readonly PlainRow[]): PlainRow[] => [...rows].sort((a, b) => a.start - b.start || a.end - b.end);
const inOrder = (rows: readonly PlainRow[]): void => {
  rows.forEach((row, index) => {
    const before = rows[index - 1];
    if (before !== undefined) expect(row.start).toBeGreaterThanOrEqual(before.end);
  });
};

describe('in every program', () => {
  it('a stream runs its work in issue order, without overlap', () => {
    check(programs(anything, 3), (tested) => {
      for (const rows of group(issued(run(tested)), ({ lane }) => lane)) inOrder(rows);
    });
  });

  it('whatever shares a stream never overlaps', () => {
    check(programs(everything, 3), (tested) => {
      for (const rows of group(issued(run(tested)), ({ lane }) => lane)) inOrder(byTime(rows));
    });
  });

  it('nothing on the device starts before the call that issues it', () => {
    check(programs(everything, 3), (tested) => {
      const rows = run(tested);
      const calls = new Map(rows.filter(({ kind }) => kind === 'host-call').map((row) => [row.correlation, row]));
      for (const row of rows.filter(onDevice))
        expect(row.start).toBeGreaterThanOrEqual(calls.get(row.correlation)?.start ?? Number.NaN);
    });
  });

  it('copies of one direction exclude each other, and kernels that fill the device do', () => {
    check(programs(asynchronous, 3), (tested) => {
      const rows = run(tested).filter(exclusive);
      for (const lane of group(rows, ({ engine }) => engine)) inOrder(byTime(lane));
    });
  });

  it('a host thread does one thing at a time, and stages tensors within the call that copies them', () => {
    check(programs(everything, 3), (tested) => {
      const all = run(tested);
      const calls = all.filter(({ kind, name }) => kind === 'host-call' && name.includes(' tensor'));
      const callOf = (row: PlainRow): PlainRow | undefined =>
        calls.find(({ op, start, end }) => op === row.op && start <= row.start && row.end <= end);
      const isStaging = (row: PlainRow): boolean => row.kind === 'host-work' && callOf(row) !== undefined;
      for (const row of all.filter(({ lane }) => /^thread:.*\/\d+$/.test(lane))) expect(isStaging(row)).toBe(true);
      const onHost = all.filter((row) => !onDevice(row) && row.kind !== 'host-range');
      for (const staging of [true, false]) {
        const rows = onHost.filter((row) => isStaging(row) === staging);
        for (const ofLane of group(rows, ({ lane }) => lane)) inOrder(byTime(ofLane));
      }
    });
  });

  it('a synchronise returns after what it waited for', () => {
    check(programs(anything), (tested) => {
      const rows = run(tested);
      const before = (row: PlainRow) => rows.filter((other) => onDevice(other) && other.op < row.op);
      for (const row of rows.filter(({ name }) => name === 'cudaDeviceSynchronize')) {
        for (const other of before(row)) expect(row.end).toBeGreaterThanOrEqual(other.end);
      }
    });
  });

  it('every operation is done once, whatever waits for whatever and however short the queue', () => {
    const profile = toyWith({ 'queue.depth': 2 });
    check(programs(anything, 3), (tested) => {
      const issuing = tested.threads.flatMap(({ instructions }) => executions(instructions));
      const done = issued(run(tested, profile)).map(({ op }) => op);
      expect(done.sort((a, b) => a - b)).toEqual(issuing);
    });
  });

  it('an equal program gives an equal trace', () => {
    check(programs(everything, 3), (tested) => {
      expect(simulate(tested, h200Costs)).toEqual(simulate(structuredClone(tested), h200Costs));
    });
  });
});

describe('by the rules of order', () => {
  /** No gaps between engines, so that ready work can start at once. */
  const noGaps = toyWith({ 'queue.sameEngineNs': 0, 'queue.acrossEnginesNs': 0 });

  it('event edges, the legacy default stream and the queues of copy engines hold', () => {
    check(fc.oneof(programs(asynchronous), programs(crowded)), (tested) => {
      const rows = issued(run(tested));
      const known = predecessors(tested);
      for (const row of rows) {
        for (const op of known.get(row.op) ?? []) {
          expect(row.start).toBeGreaterThanOrEqual(rows.find((other) => other.op === op)?.end ?? Number.NaN);
        }
      }
    });
  });

  it('a cudaMemcpy between two devices comes behind all that both were given before, and before all later', () => {
    check(fc.array(onTwoDevices, { maxLength: 20 }), (list) => {
      const rows = run(programWith(twoDevices, list)).filter(onDevice);
      for (const copy of rows.filter(({ name }) => name === 'peer')) {
        for (const row of rows) {
          if (row.op < copy.op) expect(row.end).toBeLessThanOrEqual(copy.start);
          if (row.op > copy.op) expect(row.start).toBeGreaterThanOrEqual(copy.end);
        }
      }
    });
  });

  it('no engine is idle while something is ready for it, and nothing waits without a reason', () => {
    check(fc.oneof(programs(asynchronous), programs(crowded)), (tested) => {
      const rows = run(tested, noGaps);
      const calls = new Map(rows.filter(({ kind }) => kind === 'host-call').map((row) => [row.op, row]));
      const activities = new Map(rows.filter(onDevice).map((row) => [row.op, row]));
      const known = predecessors(tested);
      for (const row of activities.values()) {
        const ends = (known.get(row.op) ?? []).map((op) => activities.get(op)?.end ?? Number.NaN);
        const ready = Math.max(
          (calls.get(row.op)?.end ?? Number.NaN) + noGaps.parameters['queue.launchToStartNs'],
          ...ends,
        );
        if (isMark(row)) expect(Math.abs(row.start - ready)).toBeLessThanOrEqual(1);
        else {
          const beside = rows.filter((other) => other.engine === row.engine && other !== row);
          expectBusy([...beside.filter(exclusive), ...full(beside)], ready, row.start);
        }
      }
    });
  });
});

describe('more of the machine', () => {
  const factors = fc.double({ min: 1, max: 100, noNaN: true });
  /** Makes blocking copies of one stream: cudaMemcpy would run in the default stream instead. */
  const oneStream = (one: fc.Arbitrary<unknown>) => operations(one).map((list) => program(list.map(inOneStream)));
  const nsOf = (tested: Program, profile: DeviceProfile): number => simulate(tested, toyCosts(profile)).makespanNs;

  it('a faster link never makes a program of one stream longer', () => {
    check(fc.tuple(oneStream(anything), factors), ([tested, factor]) => {
      expect(nsOf(tested, fasterLink(toyProfile, factor))).toBeLessThanOrEqual(nsOf(tested, toyProfile) + 1);
    });
  });

  it('a deeper queue never makes a program of one stream longer', () => {
    const shallow = toyWith({ 'queue.depth': 2 });
    check(oneStream(anything), (tested) => {
      expect(nsOf(tested, toyProfile)).toBeLessThanOrEqual(nsOf(tested, shallow) + 1);
    });
  });
});

function inOneStream(operation: object): object {
  return {
    ...operation,
    ...('stream' in operation ? { stream: 'a' } : {}),
    ...('mode' in operation && operation.mode === 'blocking-memcpy' ? { mode: 'blocking-to' } : {}),
    ...('operations' in operation ? { operations: (operation.operations as object[]).map(inOneStream) } : {}),
  };
}

/** Returns the numbers of the operations whose work streams do, in order: a graph's once for each launch. */
function executions(instructions: readonly Instruction[]): number[] {
  let capturing = false;
  return instructions.flatMap((instruction) => {
    if (instruction.code === 'beginCapture') capturing = true;
    if (instruction.code === 'endCapture') capturing = false;
    return takesStream(instruction) ? Array.from({ length: capturing ? 2 : 1 }, () => instruction.op) : [];
  });
}

function takesStream({ code }: Instruction): boolean {
  return ['copy', 'kernel', 'memset', 'hostFunction', 'item', 'recordEvent', 'waitEvent'].includes(code);
}

/**
 * Returns for each operation of a one-thread program those that must end before it starts, by reading the rules pair by
 * pair: stream order, the latest record for a wait, the legacy default stream against blocking ones, and the queues of
 * copy engines.
 */
function predecessors(tested: Program): Map<number, number[]> {
  const known = new Map<number, number[]>();
  const queues = copyQueues(tested);
  const earlier: (Instruction & { stream: number })[] = [];
  for (const one of tested.threads[0]?.instructions ?? []) {
    if (one.code !== 'copy' && one.code !== 'kernel' && one.code !== 'recordEvent' && one.code !== 'waitEvent')
      continue;
    const kind = (index: number) => tested.streams[index]?.kind;
    const before = earlier.filter(({ op, stream: other }) => {
      if (other === one.stream) return true;
      if (queues.has(one.op) && queues.get(op) === queues.get(one.op)) return true;
      const kinds = [kind(other), kind(one.stream)];
      return kinds.includes('legacy-default') && !kinds.includes('non-blocking');
    });
    const record =
      one.code === 'waitEvent'
        ? earlier.findLast((other) => other.code === 'recordEvent' && other.event === one.event)
        : undefined;
    known.set(
      one.op,
      [...before, ...(record === undefined ? [] : [record])].map(({ op }) => op),
    );
    earlier.push(one);
  }
  return known;
}

/**
 * Returns the queue of each copy between host and device. An engine has four: a stream goes on with the queue that it
 * used last, or takes the one that was unused for longest.
 */
function copyQueues(tested: Program): Map<number, string> {
  const queues = new Map<number, string>();
  const lastUses = ['to', 'from'].map((way) => [0, 1, 2, 3].map((number) => ({ id: `${way} ${number}`, stream: -1 })));
  for (const one of tested.threads[0]?.instructions ?? []) {
    if (one.code !== 'copy') continue;
    const uses = lastUses[tested.buffers[one.src]?.memory === 'device' ? 1 : 0] ?? [];
    const own = uses.findIndex(({ stream: other }) => other === one.stream);
    for (const { id } of uses.splice(Math.max(0, own), 1)) {
      queues.set(one.op, id);
      uses.push({ id, stream: one.stream });
    }
  }
  return queues;
}

/** Returns times with as many kernels as the toy runs at once, each as long as the first of them. */
function full(rows: readonly PlainRow[]): Span[] {
  const kernels = rows.filter(({ engine }) => engine.startsWith('compute'));
  return kernels.flatMap(({ start }) => {
    const running = kernels.filter((other) => other.start <= start && start < other.end);
    return running.length < mostKernels ? [] : [{ start, end: Math.min(...running.map(({ end }) => end)) }];
  });
}

/** Expects `rows` to cover the time from `from` to `to`; rounding may lose a nanosecond. */
function expectBusy(rows: readonly Span[], from: number, to: number): void {
  let covered = from;
  for (const row of [...rows].sort((a, b) => a.start - b.start)) {
    if (row.start > covered + 1 || covered >= to) break;
    covered = Math.max(covered, row.end);
  }
  expect(covered + 1).toBeGreaterThanOrEqual(to);
}

/** Returns a profile with shorter transfers over the link, and the same times of the host. */
function fasterLink(profile: DeviceProfile, factor: number): DeviceProfile {
  const { parameters: p } = profile;
  const faster = (points: readonly Point[]) => points.map(([bytes, ns]): Point => [bytes, ns / factor]);
  return toyWith({
    'copies.h2d.pinned': faster(p['copies.h2d.pinned']),
    'copies.d2h.pinned': faster(p['copies.d2h.pinned']),
    'link.bothBytesPerSecond': p['link.bothBytesPerSecond'] * factor,
  });
}
