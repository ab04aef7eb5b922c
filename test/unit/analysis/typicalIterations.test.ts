/** Chooses the iteration that represents a run, by both makespan and overlap. */
import { describe, expect, it } from 'vitest';
import { typicalIterations } from '../../../native/decode.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';

const rows: Record<string, DrawnRow> = {
  U: { kind: 'copy', src: 'pinned', dst: 'device', engine: 'h2d' },
  K: { kind: 'kernel', engine: 'compute' },
};
/** Draws a trace with an iteration for each copy and kernel; with kernels only if there are no copies. */
const draw = (...iterations: readonly (readonly string[])[]) =>
  drawTrace(...iterations.map((lanes, iteration) => ({ rows, lanes: [...lanes], iteration })));
const beside = ['stream:a UUUU....', 'stream:b KKKKKKKK'];
const behind = ['stream:a UUUU....', 'stream:b ....KKKK'];

describe('typical iterations', () => {
  it('are those of the median makespan where all overlap alike, the lower one of two in the middle first', () => {
    const trace = draw(beside, beside, beside, beside);
    expect(typicalIterations(trace, [5, 1, 4, 2])).toEqual([3, 1, 2, 0]);
    expect(typicalIterations(draw(beside, beside, beside), [3, 1, 2])).toEqual([2, 1, 0]);
  });

  it('an iteration that overlaps as no other does is not typical, whatever its makespan', () => {
    const trace = draw(beside, behind, beside, beside, beside);
    expect(typicalIterations(trace, [98, 100, 103, 101, 90])).toEqual([3, 0, 2, 4, 1]);
  });
});
