/** Which ranges of a trace are its steps. */
import { describe, expect, it } from 'vitest';
import { hostLine } from '../../../core/lift/hostLine.ts';
import { findSteps } from '../../../core/lift/steps.ts';
import { complete, read, traceOf } from '../import/support.ts';

const step = (name: string, at: number) => [
  complete('user_annotation', name, at, 90),
  complete('cuda_runtime', 'cudaLaunchKernel', at + 10, 5, { correlation: at }),
  complete('kernel', 'work', at + 20, 50, { correlation: at, device: 0, stream: 7 }),
];

describe('the steps of a trace', () => {
  it("are the profiler's own marks, numbered as they are", async () => {
    const optimizer = [100, 200].map((at) => complete('user_annotation', 'Optimizer.step#SGD.step', at + 50, 10));
    const { trace } = await read(
      traceOf([...step('ProfilerStep#7', 100), ...step('ProfilerStep#8', 200), ...optimizer]),
    );
    const { ranges, rule } = findSteps(trace, hostLine(trace));
    expect(ranges.map(({ name }) => name)).toEqual(['ProfilerStep#7', 'ProfilerStep#8']);
    expect(rule).toBe('ranges named "ProfilerStep"');
  });
});
