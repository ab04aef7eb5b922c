import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../core/experiment/operations.ts';
import { parseProfile } from '../../../core/profile/profile.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { type Cause, causes } from '../../../core/verdicts/verdict.ts';
import { verdicts as verdictsOf } from '../../../core/verdicts/verdicts.ts';
import { keptMissed } from '../../../renderer/predict/keptMissed.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { missedIn, missedRows, neighbourMissed } from '../../../renderer/store/opened/missed.ts';
import { Signs } from '../../../renderer/timeline/painting/signs.ts';
import { experimentOf } from '../support/experiments.ts';
import { exampleView, experiment } from './exampleRun.ts';

const view = exampleView();
const { trace } = view.run;
const [verdict] = verdictsOf(iterationOf(trace, 0), experiment);
if (verdict === undefined) throw new Error('the example has no verdict');
const missedBy = (cause: Cause, overlappedOccurrences = 0) => [{ ...verdict, cause, overlappedOccurrences }];

describe('missed overlaps', () => {
  it('are marked on the copy, and not on its call, whatever their cause', () => {
    const notMissed: readonly Cause[] = ['overlapped', 'nothing-to-overlap', 'too-small'];
    for (const cause of causes) {
      const rows = [...missedRows(trace, view.rows, missedBy(cause)).keys()];
      expect(rows, cause).toEqual(notMissed.includes(cause) ? [] : [verdict.row]);
    }
  });

  it('are marked wherever the operation ran, unless it overlapped now and then', () => {
    const more = { ...trace, columns: { ...trace.columns, op: trace.columns.op.map(() => verdict.op) } };
    const kernels = missedRows(
      more,
      view.rows,
      missedBy('multiprocessors-full').map((one) => ({ ...one, subject: 'kernel' })),
    );
    expect(kernels.size).toBe(2);
    expect([...missedRows(more, view.rows, missedBy('same-stream', 1)).keys()]).toEqual([verdict.row]);
  });

  it('are those of the iteration that verdicts are told of', () => {
    const missed = missedRows(trace, view.rows, missedBy('same-stream'));
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

describe('signs', () => {
  const wide = { x: 10, y: 4, width: 100, height: 20 };

  it('stand one beside the other in a bar, and its words after them', () => {
    const signs = new Signs([wide], [wide]);
    expect(signs.all).toEqual([
      { says: 'hazard', x: 12, y: 8 },
      { says: 'missed', x: 26, y: 8 },
    ]);
    expect(signs.indent(10, 4)).toBe(32);
    expect(signs.indent(300, 4)).toBe(5);
  });

  const narrow = (x: number) => ({ ...wide, x, width: 4 });

  it('stand one below the other over a bar that is high and narrow', () => {
    const high = { ...narrow(100), height: 26 };
    expect(new Signs([high], [high]).all.map(({ y }) => y)).toEqual([4, 17]);
    expect(new Signs([narrow(100)], [narrow(100)]).all.map(({ says }) => says)).toEqual(['hazard']);
  });

  it('stand one below the other where a bar has room for one in its middle, and for no second beside it', () => {
    const bar = { ...wide, width: 20, height: 40 };
    expect(new Signs([bar], [bar]).all.map(({ x, y }) => [x, y])).toEqual([
      [14, 4],
      [14, 17],
    ]);
    expect(new Signs([bar], []).all.map(({ x, y }) => [x, y])).toEqual([[12, 18]]);
    const low = { ...bar, height: 20 };
    expect(new Signs([low], [low]).all).toEqual([{ says: 'hazard', x: 12, y: 8 }]);
  });

  it('keep clear of those in the middle of the bars beside them', () => {
    const beside = { ...wide, x: 6, width: 3, height: 40 };
    expect(new Signs([{ ...wide, height: 40 }, beside], []).all).toEqual([
      { says: 'hazard', x: 12, y: 18 },
      { says: 'hazard', x: 1.5, y: 4 },
    ]);
  });

  it('stand over bars without room, where no other is near, and at the edge of what is seen', () => {
    const signs = new Signs([], [narrow(200), narrow(208), narrow(230), { ...wide, x: -60 }]);
    expect(signs.all.map(({ x }) => x)).toEqual([2, 196, 226]);
    expect(new Signs([], [{ ...wide, height: 7 }]).all).toEqual([]);
  });
});

describe('missed overlaps after an edit', () => {
  const profile = parseProfile(
    JSON.parse(readFileSync(new URL('../../../assets/profiles/h200.json', import.meta.url), 'utf8')),
  );
  const copy = { op: 'copy', src: 'source', dst: 'target', stream: 'side' } as const;
  const kernel = { op: 'kernel', stream: 'side', kernel: { kind: 'spin', durationNs: 1e6 } } as const;
  const work = { op: 'work', durationNs: 1000 } as const;
  const bytes = 1 << 24;
  const before = experimentOf(
    {
      buffers: [
        { id: 'source', memory: 'pinned', bytes },
        { id: 'target', memory: 'device', bytes },
      ],
      streams: [{ id: 'side' }],
    },
    [copy, kernel],
  );
  const { run, iteration } = predict(before, profile, '1');
  const missed = missedRows(run.trace, iteration.rows, verdictsOf(iterationOf(run.trace, 0), before));

  /** Names of the operations that are marked in the frame that draws an edit, as the window's edits share what they leave. */
  function kept(edit: (operations: readonly Operation[]) => readonly Operation[]): string[] {
    const [main] = before.threads;
    if (main === undefined) throw new Error('no thread');
    const threads = [{ ...main, operations: [...edit(main.operations)] }];
    const now = predict({ ...before, threads }, profile, '1');
    const { op } = now.run.trace.columns;
    return [...keptMissed({ run, missed }, now.run, now.iteration.rows)].map(
      ([row, verdict]) => `${verdict.title} on ${op[row]}, ${verdict.op} and ${verdict.with}`,
    );
  }

  it('stay with the operations, whatever their numbers are', () => {
    expect([...missed.values()].map(({ title }) => title)).toEqual(['Same stream']);
    expect(kept((operations) => operations)).toEqual(['Same stream on 0, 0 and 1']);
    expect(kept((operations) => [work, ...operations])).toEqual(['Same stream on 1, 1 and 2']);
  });

  it('are gone where a kernel runs beside the copy now, and where one of both was taken out', () => {
    const elsewhere = (operation: Operation): Operation =>
      operation.op === 'kernel' ? { ...operation, stream: 'default' } : operation;
    expect(kept((operations) => operations.map(elsewhere))).toEqual([]);
    expect(kept((operations) => [...operations.map(elsewhere), ...operations.slice(1)])).toEqual([]);
    expect(kept((operations) => operations.slice(0, 1))).toEqual([]);
    expect(kept((operations) => operations.slice(1))).toEqual([]);
  });
});
