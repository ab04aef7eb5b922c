import { describe, expect, it } from 'vitest';
import { type Cause, causes, type Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { verdicts as verdictsOf } from '../../../core/explain/verdicts/verdicts.ts';
import { iterationOf, rowKind } from '../../../core/trace/iteration.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import { missedIn, missedRows, neighbourMissed } from '../../../renderer/store/opened/missed.ts';
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
    const notMissed: readonly Cause[] = ['overlapped', 'nothing-to-overlap', 'too-small'];
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

  it('verdicts of the run before mark the same operations until the new ones are there, and none that are gone', () => {
    const gone = { run: view.run, verdicts: missedBy('same-stream'), opOf: () => null };
    expect(missedRows(gone, view.rows).size).toBe(0);
    const moved = { ...gone, verdicts: missedBy('same-stream').map((one) => ({ ...one, row: 10_000, op: 7 })) };
    expect([...missedRows({ ...moved, opOf: () => verdict.op }, view.rows).keys()]).toEqual([verdict.row]);
  });

  it('missed overlaps belong to the iteration of the verdicts', () => {
    const missed = missedRowsOf(trace, missedBy('same-stream'));
    const { representative } = view.run.info.iterations;
    expect(missedIn({ missed, run: view.run }, { number: representative }).size).toBe(1);
    expect(missedIn({ missed, run: view.run }, { number: representative + 1 }).size).toBe(0);
  });

  it('are gone through in their order, and round again', () => {
    const missed = new Map([2, 5, 9].map((row) => [row, verdict]));
    expect([null, 2, 3, 9].map((row) => neighbourMissed(missed, row, 1))).toEqual([2, 5, 5, 2]);
    expect([null, 2, 3, 9].map((row) => neighbourMissed(missed, row, -1))).toEqual([9, 9, 2, 5]);
    expect(neighbourMissed(new Map(), 1, 1)).toBeNull();
  });
});
