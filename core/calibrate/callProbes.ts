/** What calls cost the host, how deep the launch queue is, and how long the device takes from one thing to the next. */
import { median } from '../analysis/statistics.ts';
import type { Measurement } from '../bench/measurement.ts';
import { MiB } from '../units.ts';
import { copy, gaps, pause, repeat, spin, stream, synchronize, warmUp } from './operations.ts';
import type { Bench, Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded } from './reading.ts';

const launches: Measurement = {
  ...{ kind: 'launches', direction: 'h2d', memory: 'pinned', method: 'loop', device: 0, peer: 0, peerAccess: false },
  ...{ bytes: 4, capacity: 0, count: 500, samples: 21, warmups: 3 },
} as const;

/** Longer than any call that isn't held. */
const heldNs = 1_000_000;
const launchesInRow = 400;
/** Longer than so many launches take: the benchmark's wait behind a closed gate. */
const holdNs = 5_000_000;
const queueProbe = 4000;
/** More than what pushes the driver out of the caches near a core, and no more than programs move between two calls. */
const movedBytes = 16 * MiB;
/** Pauses after which a launch may have become a cold one. */
const pauses = [20, 40, 60, 80, 100, 130, 170, 220, 280, 350, 450, 600, 1000].map((us) => us * 1000);

export function addCallProbes(builder: PlanBuilder): void {
  addLaunches(builder);
  addEvents(builder);
  addQueue(builder);
  addDearCalls(builder);
}

function addLaunches(builder: PlanBuilder): void {
  const many = [spin('first', 0), repeat(launchesInRow, spin('launch', 0)), synchronize()];
  const bench: Bench = { measurement: launches, read: (measured) => [...measured.callNs] };
  builder.probe('launches', { streams: [stream] }, many).value('calls.launchNs', callNs('launch'), bench);
  builder.compare('recorder.callNs', {
    ...{ id: 'launches behind work', parts: { streams: [stream] }, read: callNs('launch'), bench },
    operations: [spin('hold', holdNs), repeat(launchesInRow, spin('launch', 0)), synchronize()],
  });
  // The device has work all the while: what wakes it would be in the launch as well.
  const cold = pauses.flatMap((ns) => [
    ...[spin(`beside ${ns}`, ns + 60_000, 'beside'), spin(`warm ${ns}`, 0), spin(`warmer ${ns}`, 0)],
    ...[synchronize(`end ${ns}`), pause(ns), spin(`after ${ns}`, 0), synchronize(`end after ${ns}`)],
  ]);
  const after = (recorded: Recorded, ns: number): number => {
    const call = recorded.call(`after ${ns}`);
    return call === undefined ? Number.NaN : durationOf(call);
  };
  builder
    .probe('launches after a pause', { streams: [stream, { id: 'beside', flags: 'non-blocking' }] }, cold)
    .value('calls.coldLaunchNs', (recorded) => after(recorded, pauses.at(-1) ?? 0))
    .value('calls.launchWarmNs', (recorded) => warmUntil(pauses.map((ns) => [ns, after(recorded, ns)] as const)));
}

/** The middle between the longest pause whose launch was rather warm than cold and the next. */
function warmUntil(points: readonly (readonly [pauseNs: number, callNs: number])[]): number | undefined {
  const [first, last] = [points[0]?.[1] ?? Number.NaN, points.at(-1)?.[1] ?? Number.NaN];
  const middle = (first + last) / 2;
  const cold = points.findIndex(([, ns]) => ns > middle);
  const [after, before] = [points[cold]?.[0], points[cold - 1]?.[0]];
  return after === undefined || before === undefined ? undefined : Math.sqrt(after * before);
}

function addEvents(builder: PlanBuilder): void {
  const event = (label: string, name: string) => ({ op: 'recordEvent' as const, label, event: name, stream: 'work' });
  const operations = [
    ...[warmUp(spin('warm', 0)), repeat(10, event('record', 'a'), event('record', 'b')), synchronize()],
    repeat(10, { op: 'waitEvent' as const, label: 'wait', event: 'a', stream: 'work' }),
    repeat(
      10,
      ...[{ op: 'queryStream' as const, label: 'query', stream: 'work' }],
      ...[{ op: 'queryEvent' as const, label: 'query event', event: 'a' }],
      { op: 'elapsedTime' as const, label: 'elapsed', start: 'a', end: 'b' },
    ),
    // What the events hold up is over by then.
    { op: 'work' as const, durationNs: 50_000 },
    repeat(5, synchronize('nothing to wait for')),
    ...[spin('warm up', 0), synchronize('end warm up'), spin('wake', 200_000), synchronize('woken')],
  ];
  const events = [{ id: 'a' }, { id: 'b' }];
  builder
    .probe('events and synchronises', { streams: [stream], events }, operations)
    .value('calls.eventRecordNs', callNs('record'))
    .value('calls.eventWaitNs', callNs('wait'))
    .value('calls.queryNs', (recorded) => [...callNs('query')(recorded), ...callNs('query event')(recorded)])
    .value('calls.elapsedTimeNs', callNs('elapsed'))
    .value('calls.synchronizeNs', callNs('nothing to wait for'))
    .value('calls.wakeNs', (recorded) => {
      const [work, woken] = [recorded.work('wake'), recorded.call('woken')];
      return work === undefined || woken === undefined ? undefined : woken.endNs - work.endNs;
    })
    .value('queue.launchToStartNs', (recorded) => {
      const [called, work] = [recorded.call('wake'), recorded.work('wake')];
      return work === undefined || called === undefined ? undefined : Math.max(0, work.startNs - called.endNs);
    });
}

function addQueue(builder: PlanBuilder): void {
  const depth = [spin('hold', 30_000_000), repeat(queueProbe, spin('fill', 0)), synchronize()];
  const measurement: Measurement = { ...launches, kind: 'queue-depth', samples: 3 };
  builder.probe('queue depth', { streams: [stream] }, depth).value(
    'queue.depth',
    (recorded) => {
      const before = recorded.calls('fill').findIndex((call) => durationOf(call) > heldNs);
      // The spin ahead is pending as well.
      return before < 0 ? undefined : before + 1;
    },
    { measurement, read: ({ ns, depth: taken }) => (taken > 0 ? [...ns] : []) },
  );
  const bytes = 2 ** 20;
  const buffers = [
    { id: 'host', memory: 'pinned' as const, bytes },
    { id: 'device', memory: 'device' as const, bytes },
  ];
  const streams = [stream, { id: 'waiting', flags: 'non-blocking' as const }];
  const record = (event: string) => ({ op: 'recordEvent' as const, event, stream: 'work' });
  const throughEvents = (late: Operation) => [
    ...[spin('hold', 100_000), spin('before the event', 5000), record('a')],
    ...[spin('behind the event', 5000), copy('before the wait', 'host', 'device', bytes), record('b'), late],
    { op: 'waitEvent' as const, event: 'b', stream: 'waiting' },
    ...[spin('behind the wait', 5000, 'waiting'), { op: 'synchronizeDevice' as const }],
  ];
  /** Of each time that both ran. */
  const gapsOf = (recorded: Recorded, before: string, after: string): number[] => {
    const next = recorded.works(after);
    return recorded.works(before).flatMap(({ endNs }, index) => {
      const startNs = next[index]?.startNs;
      return startNs === undefined ? [] : Math.max(0, startNs - endNs);
    });
  };
  const behindCopy = (late: Operation) => [
    ...[copy('copy', 'host', 'device', bytes), late, spin('behind the copy', 5000), synchronize()],
  ];
  // What waits for another engine looks again every 8.2 us on an H200, from its call on: the readings are spread over that.
  const lates = Array.from({ length: 8 }, (_, place) => pause(1 + 1024 * place));
  const wakes = [copy('waited for', 'host', 'device', bytes), synchronize('copied')];
  const operations = [
    repeat(8, ...wakes),
    ...[spin('hold', 300_000), repeat(20, spin('next', 5000)), ...behindCopy(pause(1))],
    ...lates.flatMap((late) => [spin('hold', 50_000), ...behindCopy(late)]),
    ...lates.flatMap(throughEvents),
  ];
  const events = [{ id: 'a' }, { id: 'b' }];
  builder
    .probe('from one to the next', { streams, buffers, events }, operations)
    .value('calls.copyWakeNs', (recorded) => {
      const ends = recorded.calls('copied').map(({ endNs }) => endNs);
      return recorded.works('waited for').flatMap((row, index) => (ends[index] ?? Number.NaN) - row.endNs);
    })
    .value('queue.eventNs', (recorded) => {
      const plain = median(gaps(recorded.works('next')));
      return gapsOf(recorded, 'before the event', 'behind the event').map((ns) => Math.max(0, ns - plain));
    })
    .value('queue.throughEventNs', (recorded) => gapsOf(recorded, 'before the wait', 'behind the wait'))
    .value('queue.sameEngineNs', (recorded) => gaps(recorded.works('next')).map((ns) => Math.max(0, ns)))
    .value('queue.acrossEnginesNs', (recorded) => gapsOf(recorded, 'copy', 'behind the copy'));
}

/** What calls cost more behind calls of another kind, beside those of another thread, and behind much memory. */
function addDearCalls(builder: PlanBuilder): void {
  const bytes = 4096;
  const buffers = [
    { id: 'host', memory: 'pinned' as const, bytes },
    { id: 'device', memory: 'device' as const, bytes },
    { id: 'large', memory: 'pageable' as const, bytes: movedBytes },
  ];
  const streams = [stream, { id: 'other', flags: 'non-blocking' as const }];
  const row = (label: string, count: number, where = 'work') =>
    repeat(count, copy(label, 'host', 'device', bytes, where));
  const turns = [spin('launch in turn', 0), copy('in turn', 'host', 'device', bytes)];
  const dearer = (recorded: Recorded, label: string): number =>
    Math.max(0, median(callNs(label)(recorded)) - median(callNs('in a row')(recorded).slice(1)));
  const alone = [spin('warm', 0), synchronize(), row('in a row', 100), synchronize()];
  builder
    .probe('calls in turn', { streams, buffers }, [...alone, repeat(50, ...turns), synchronize()])
    .value('calls.otherNs', (recorded) => dearer(recorded, 'in turn'));
  const signal = (name: string) => ({ op: 'signal' as const, signal: name });
  const wait = (name: string) => ({ op: 'waitSignal' as const, signal: name });
  const parts = { streams, buffers, signals: [{ id: 'go' }] };
  builder
    .probe(
      'calls of two threads',
      parts,
      [...alone, signal('go'), row('beside the other', 300), synchronize()],
      [wait('go'), row('other', 500, 'other'), synchronize('end of the other', 'other')],
    )
    .value('calls.meetingNs', (recorded) => dearer(recorded, 'beside the other'));
  const write = {
    op: 'write' as const,
    label: 'write',
    buffer: 'large',
    pattern: { kind: 'constant' as const, value: 7 },
  };
  const cold = (label: string) => [{ op: 'work' as const, durationNs: 1_000_000 }, spin(label, 0), synchronize()];
  const kept = [warmUp(spin('warm', 0)), ...cold('after work'), write, spin('after memory', 0), synchronize()];
  builder
    .probe('calls behind much memory', { streams: [stream], buffers: buffers.slice(2) }, kept)
    .value('calls.coldNs', (recorded) => {
      const [one, other] = [recorded.call('after work'), recorded.call('after memory')];
      return one === undefined || other === undefined ? undefined : Math.max(0, durationOf(other) - durationOf(one));
    });
}
