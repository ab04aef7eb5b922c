/** A trace of several processes, such as ranks: one of them is lifted, and named. */
import { describe, expect, it } from 'vitest';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { hostLine } from '../../../core/lift/hostLine.ts';
import { complete, read, traceOf } from '../import/support.ts';

/** Returns four steps of 5 ms, each with a kernel of 2 ms; calls of two ranks with different starts never overlap. */
const rank = (name: string, process: number, from: number, kernels = 1) =>
  Array.from({ length: 4 }, (_, step) => {
    const at = from + step * 5000;
    const calls = Array.from({ length: kernels }, (_, number) => {
      const place = { device: 0, stream: 7, correlation: 10 * step + number + 1 };
      return [
        complete('cuda_runtime', 'cudaLaunchKernel', at + 10 + 20 * number, 5, place, process),
        complete('kernel', 'work', at + 20 + number * 2000, 2000 / kernels, place),
      ];
    });
    return [complete('user_annotation', 'step', at, 4900, {}, process), ...calls.flat()];
  })
    .flat()
    .map((event) => ({ ...event, pid: `[${name}] ${event.cat === 'kernel' ? 0 : process}` }));

const lifted = async (events: readonly object[]) => {
  const { trace } = await read(traceOf(events));
  const { found, script } = liftTrace(trace, 'ranks');
  return { lanes: hostLine(trace).lanes.map((lane) => trace.lanes[lane]?.id), found, script };
};

describe('ranks of one trace', () => {
  it('ranks of one trace are not threads of one program that take turns', async () => {
    const { lanes, found, script } = await lifted([...rank('TP00', 424, 1000), ...rank('TP01', 425, 1200)]);
    expect(lanes).toEqual(['thread:[TP00] 424:424']);
    expect(found.ranges).toHaveLength(4);
    expect(script.inferred.join(' ')).toContain('[TP00] 424');
  });

  it('give the one that calls most', async () => {
    const { lanes, script } = await lifted([...rank('TP00', 424, 1000), ...rank('TP01', 425, 1200, 2)]);
    expect(lanes).toEqual(['thread:[TP01] 425:425']);
    expect(script.inferred.filter((note) => note.includes('process'))).toEqual([
      'The trace has 2 processes that put work on a device: the steps are those of [TP01] 425, which makes the most calls.',
    ]);
  });

  it('are not spoken of where there is one', async () => {
    const { script } = await lifted(rank('TP00', 424, 1000));
    expect(script.inferred.filter((note) => note.includes('process'))).toEqual([]);
  });
});
