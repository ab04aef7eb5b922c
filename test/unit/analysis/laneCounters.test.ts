import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCounters } from '../../../core/explain/figures/laneCounters.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { Counter } from '../../../core/trace/counter.ts';
import type { Run } from '../../../core/trace/run.ts';
import { h200Costs } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';
import { runInfo } from '../trace/fixtures.ts';

interface Work {
  readonly callNs: number;
  readonly callTakes: number;
  readonly delay: number;
  readonly takes: number;
}

function runOf(works: readonly Work[]): Run {
  const builder = new TraceBuilder();
  const main = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const lane = builder.lane({ kind: 'stream', id: 'stream:s', name: 's', device: 'gpu' });
  works.forEach(({ callNs, callTakes, delay, takes }, index) => {
    const correlation = index + 1;
    builder.add({ startNs: callNs, durationNs: callTakes, lane: main, kind: 'host-call', name: 'call', correlation });
    builder.add({ startNs: callNs + delay, durationNs: takes, lane, kind: 'kernel', name: 'k', correlation });
  });
  return { info: runInfo(), trace: builder.build() };
}

const time = fc.nat({ max: 60 });
const works = fc.array(fc.record({ callNs: time, callTakes: time, delay: time, takes: time }), { maxLength: 40 });

describe('queue depth', () => {
  it('is at any time the work whose call has returned and that is not complete', () => {
    fc.assert(
      fc.property(works, (list) => {
        const [queue, ...others] = laneCounters(runOf(list), 0);
        expect(others).toEqual([]);
        const counter = queue === undefined ? null : new Counter(queue.data);
        for (let now = 0; now < 200; now += 1) {
          const truth = list.filter((one) => {
            const [returned, end] = [one.callNs + one.callTakes, one.callNs + one.delay + one.takes];
            return returned <= now && now < end;
          });
          expect(counter?.at(now) ?? 0).toBe(truth.length);
        }
      }),
    );
  });

  it('leaves out work whose call was not recorded', () => {
    const builder = new TraceBuilder();
    const lane = builder.lane({ kind: 'stream', id: 'stream:s', name: 's', device: 'gpu' });
    builder.add({ startNs: 0, durationNs: 10, lane, kind: 'kernel', name: 'k' });
    expect(laneCounters({ info: runInfo(), trace: builder.build() }, 0)).toEqual([]);
  });
});

it('memory has a lane for what is in use, and one for what each allocator reserves', () => {
  const experiment = experimentOf(
    { buffers: [{ id: 'a', memory: 'device', bytes: 1000, allocated: 'by-operation' }] },
    [{ op: 'allocate', buffer: 'a', allocator: 'caching' }],
  );
  const { trace, memory } = simulate(lower(experiment), h200Costs);
  const counters = laneCounters({ info: { ...runInfo(), experiment, memory: [...memory] }, trace }, 0);
  const lanes = counters.flatMap((one) => (one.kind === 'memory' ? [[one.name, new Counter(one.data).peak]] : []));
  expect(lanes).toEqual([
    ['gpu memory', 1000],
    ['gpu reserved, caching', 2 ** 21],
  ]);
});
