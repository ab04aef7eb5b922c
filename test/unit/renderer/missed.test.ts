import { describe, expect, it } from 'vitest';
import { type Cause, causes, type Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { verdicts as verdictsOf } from '../../../core/explain/verdicts/verdicts.ts';
import { iterationOf, rowKind } from '../../../core/trace/iteration.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import { missedRows } from '../../../renderer/store/opened/missed.ts';
import { exampleView, experiment } from './exampleRun.ts';

const view = exampleView();
const { trace } = view.run;
const [verdict] = verdictsOf(iterationOf(trace, 0), experiment);
if (verdict === undefined) throw new Error('the example has no verdict');
const missedRowsOf = (of: Trace, verdicts: readonly Verdict[]) =>
  missedRows({ run: { ...view.run, trace: of }, verdicts, opOf: () => verdict.op }, view.rows);
const missedBy = (cause: Cause, overlappedOccurrences = 0) => [{ ...verdict, cause, overlappedOccurrences }];

describe('missed overlaps', () => {
  it('are marked on the copy, and not on its call, whatever their cause', () => {
    const notMissed: readonly Cause[] = ['race', 'overlapped', 'nothing-to-overlap', 'too-small'];
    for (const cause of causes) {
      const rows = [...missedRowsOf(trace, missedBy(cause)).keys()];
      expect(rows, cause).toEqual(notMissed.includes(cause) ? [] : [verdict.row]);
    }
  });

  it('are marked wherever the operation ran, unless it overlapped now and then', () => {
    const more = { ...trace, columns: { ...trace.columns, op: trace.columns.op.map(() => verdict.op) } };
    const kernels = missedRowsOf(
      more,
      missedBy('multiprocessors-full').map((one) => ({ ...one, subject: 'kernel' })),
    );
    expect([...kernels.keys()].map((row) => rowKind(more, row))).toEqual(['kernel']);
    expect([...missedRowsOf(more, missedBy('same-stream', 1)).keys()]).toEqual([verdict.row]);
  });
});
