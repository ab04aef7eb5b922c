/** Probes for the host cost of calls, the depth of the launch queue, and the gaps between operations on the device. */

import { median } from '../../statistics.ts';
import type { Measurement } from './measurement.ts';
import { copy, gaps, pause, repeat, spin, stream, synchronize, warmUp } from './operations.ts';
import type { Bench, Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded } from './reading.ts';

const launches: Measurement = {
  ...{ kind: 'launches', direction: 'h2d', memory: 'pinned', device: 0 },
  ...{ bytes: 4, capacity: 0, count: 500, samples: 21, warmups: 3 },
} as const;

/** Longer than any call that isn't held. */
const heldNs = 1_000_000;
const launchesInRow = 400;
/** Longer than these launches take; the benchmark waits this long behind a closed gate. */
const holdNs = 5_000_000;
const queueProbe = 4000;
export function addCallProbes(builder: PlanBuilder): void {
  addLaunches(builder);
  addEvents(builder);
  addQueue(builder);
}

function addLaunches(builder: PlanBuilder): void {
  const many = [spin('first', 0), repeat(launchesInRow, spin('launch', 0)), synchronize()];
  const bench: Bench = { measurement: launches, read: (measured) => [...measured.callNs] };
  builder.probe('launches', { streams: [stream] }, many).value('calls.launchNs', callNs('launch'), bench);
  builder.compare('recorder.callNs', {
    ...{ id: 'launches behind work', parts: { streams: [stream] }, read: callNs('launch'), bench },
    operations: [spin('hold', holdNs), repeat(launchesInRow, spin('launch', 0)), synchronize()],
  });
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
    // The work held up by the events is over by then.
    { op: 'work' as const, durationNs: 50_000 },
    repeat(5, synchronize('nothing to wait for')),
    ...[spin('warm up', 0), synchronize('end warm up'), spin('wake', 200_000), synchronize('woken')],
  ];
  const events = [{ id: 'a' }, { id: 'b' }];
  builder
    .probe('events and synchronises', { streams: [stream], events }, operations)
    .value('calls.shortNs', (recorded) =>
      ['record', 'wait', 'query', 'query event', 'elapsed', 'nothing to wait for'].map((label) =>
        median(callNs(label)(recorded)),
      ),
    )
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
      // Adds the spin ahead, which is pending too.
      return before < 0 ? undefined : before + 1;
    },
    { measurement, read: ({ ns, depth: taken }) => (taken > 0 ? [...ns] : []) },
  );
  const bytes = 2 ** 20;
  const buffers = [
    { id: 'host', memory: 'pinned' as const, bytes },
    { id: 'device', memory: 'device' as const, bytes },
  ];
  /** Returns the gap each time that both ran. */
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
  // On an H200, work that waits for another engine polls every 8.2 us from its call on. The pauses spread readings over
  // that.
  const lates = Array.from({ length: 8 }, (_, place) => pause(1 + 1024 * place));
  const operations = [
    ...[spin('hold', 300_000), repeat(20, spin('next', 5000)), ...behindCopy(pause(1))],
    ...lates.flatMap((late) => [spin('hold', 50_000), ...behindCopy(late)]),
  ];
  builder
    .probe('from one to the next', { streams: [stream], buffers }, operations)
    .value('queue.sameEngineNs', (recorded) => gaps(recorded.works('next')).map((ns) => Math.max(0, ns)))
    .value('queue.acrossEnginesNs', (recorded) => gapsOf(recorded, 'copy', 'behind the copy'));
}
