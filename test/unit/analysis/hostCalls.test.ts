import { describe, expect, it } from 'vitest';
import { hostCalls } from '../../../core/explain/figures/hostCalls.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';

/** Returns the call's number for each activity, for calls and activities with these correlation numbers. */
function joined(calls: readonly number[], activities: readonly number[]) {
  const builder = new TraceBuilder();
  const thread = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const stream = builder.lane({ kind: 'stream', id: 'stream:a', name: 'a', device: 'gpu' });
  const row = { durationNs: 1, name: 'row' } as const;
  calls.forEach((correlation, at) => {
    builder.add({ ...row, startNs: at, lane: thread, kind: 'host-call', correlation });
  });
  activities.forEach((correlation, at) => {
    builder.add({ ...row, startNs: 1000 + at, lane: stream, kind: 'kernel', correlation });
  });
  const trace = builder.build();
  const found = hostCalls(iterationOf(trace, 0));
  return activities.map((_, at) => trace.columns.correlation[found.get(calls.length + at) ?? -1] ?? null);
}

describe('calls of activities', () => {
  it('are found by correlation, be its numbers close together or far apart', () => {
    expect(joined([7, 8, 9], [9, 7, 8])).toEqual([9, 7, 8]);
    expect(joined([7, 8_000_000, 900], [900, 7, 8_000_000])).toEqual([900, 7, 8_000_000]);
  });

  it('no call is found for activities with an unknown number', () => {
    expect(joined([7, 9], [8, 6, 10, 0])).toEqual([null, null, null, null]);
    expect(joined([7, 9_000_000], [8, 6, 10_000_000, 0])).toEqual([null, null, null, null]);
    expect(joined([0], [0])).toEqual([null]);
  });
});
