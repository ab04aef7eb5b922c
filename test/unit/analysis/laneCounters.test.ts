import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCounters } from '../../../core/explain/figures/laneCounters.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { Counter } from '../../../core/trace/counter.ts';
import type { Run } from '../../../core/trace/run.ts';
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
