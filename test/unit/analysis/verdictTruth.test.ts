/** No verdict contradicts its own trace: random programs on the simulated H200, checked row by row. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Evidence, Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { verdictOf, verdicts } from '../../../core/explain/verdicts/verdicts.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { ruleIds } from '../../../core/rules/rules.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { h200Costs, type PlainRow, plainRows } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';
import { copies, eventOperations } from '../support/operations.ts';

const stream = fc.constantFrom('a', 'b', 'c', 'd', 'blocking', 'blocking2', 'default');
const event = fc.constantFrom('e', 'f');
const bytes = fc.constantFrom(4096, 60_000, 2 ** 20, 2 ** 22, 2 ** 24);
const mode = fc.constantFrom('async', 'async', 'async', 'blocking-to', 'blocking-memcpy');
const operation = fc.oneof(
  { weight: 4, arbitrary: copies(['pinned', 'pageable'], ['x', 'y'], { stream, bytes, mode }) },
  { weight: 2, arbitrary: copies(['x', 'y'], ['pinned', 'pageable', 'z'], { stream, bytes, mode }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('kernel'),
      kernel: fc.record({
        kind: fc.constant('spin'),
        durationNs: fc.constantFrom(2000, 40_000, 400_000, 2_000_000),
      }),
      stream,
      reads: fc.constantFrom([], ['x'], ['y']),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(['mapped', 'z'], ['z', 'mapped'], ['large', 'z'], ['z', 'large'])
      .chain(([src = '', dst = '']) =>
        fc.record({
          op: fc.constant('kernel'),
          kernel: fc.constant({ kind: 'stream' }),
          reads: fc.constant([src]),
          writes: fc.constant([dst]),
          smShare: fc.constantFrom(1, 0.25),
          stream,
        }),
      ),
  },
  { weight: 2, arbitrary: eventOperations({ event, stream }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('work'), durationNs: fc.constantFrom(10_000, 500_000) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('synchronizeStream'), stream }) },
);
const buffer = (id: string, memory: 'pinned' | 'pageable' | 'mapped' | 'device') => ({ id, memory, bytes: 2 ** 24 });
const experiments = fc.array(operation, { minLength: 2, maxLength: 14 }).map((operations) =>
  experimentOf(
    {
      buffers: [
        buffer('pinned', 'pinned'),
        buffer('pageable', 'pageable'),
        buffer('large', 'mapped'),
        { id: 'mapped', memory: 'mapped', bytes: 2 ** 21 },
        ...['x', 'y', 'z'].map((id) => buffer(id, 'device')),
      ],
      streams: [
        { id: 'a' },
        { id: 'b' },
        { id: 'c' },
        { id: 'd' },
        ...['blocking', 'blocking2'].map((id) => ({ id, flags: 'blocking' as const })),
      ],
      events: [{ id: 'e' }, { id: 'f' }],
    },
    operations,
  ),
);

interface Case {
  readonly program: Program;
  readonly rows: readonly PlainRow[];
  /** Verdicts on copies. */
  readonly all: readonly Verdict[];
}

const check = (predicate: (one: Case) => void): void =>
  fc.assert(
    fc.property(experiments, (experiment) => {
      const program = lower(experiment);
      const { trace } = simulate(program, h200Costs);
      const all = verdicts(iterationOf(trace, 0), experiment).filter(({ subject }) => subject === 'copy');
      predicate({ program, rows: plainRows(trace), all });
    }),
    { numRuns: 400 },
  );

const role = (verdict: Verdict, wanted: Evidence['role']): Evidence | undefined =>
  verdict.evidence.find((one) => one.role === wanted);
/** Returns the copy and the kernel of the verdict in order of start. */
function inTurn(verdict: Verdict): [Evidence, Evidence] | null {
  const [copy, kernel] = [role(verdict, 'copy'), role(verdict, 'kernel')];
  if (copy === undefined || kernel === undefined) return null;
  return copy.startNs <= kernel.startNs ? [copy, kernel] : [kernel, copy];
}
const instruction = (program: Program, op: number) =>
  program.threads.flatMap((thread) => thread.instructions).find((one) => one.op === op);
const isStaged = (program: Program, op: number): boolean => {
  const found = instruction(program, op);
  return found?.code === 'copy' && [found.src, found.dst].some((one) => program.buffers[one]?.memory === 'pageable');
};
const streamOf = (program: Program, op: number): number => {
  const found = instruction(program, op);
  return found !== undefined && 'stream' in found ? found.stream : -1;
};

describe('verdicts of any program', () => {
  it('are the same for an operation that is judged alone', () => {
    fc.assert(
      fc.property(experiments, (experiment) => {
        const iteration = iterationOf(simulate(lower(experiment), h200Costs).trace, 0);
        for (const verdict of verdicts(iteration, experiment).filter(({ subject }) => subject !== 'host-call')) {
          expect(verdictOf(iteration, experiment, verdict.row)).toEqual(verdict);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are one for each copy that ran, with words and a known rule', () => {
    check(({ rows, all }) => {
      const ran = rows.filter(({ kind }) => kind === 'copy').map(({ op }) => op);
      expect(all.map(({ op }) => op).sort()).toEqual([...new Set(ran)].sort());
      for (const verdict of all) {
        if (verdict.cause !== 'unexplained') expect(ruleIds).toContain(verdict.rule);
        expect(verdict.also).not.toContain(verdict.cause);
        expect(verdict.explanation).not.toMatch(/undefined|NaN|null|-\d/);
      }
    });
  });

  it('say overlapped of those that shared half of the shorter one with a kernel, unless the host waited for the copy', () => {
    check(({ rows, all }) => {
      for (const verdict of all) {
        const copy = rows.find(({ op, kind }) => op === verdict.op && kind === 'copy') as PlainRow;
        const shared = rows
          .filter(({ kind }) => kind === 'kernel')
          .some((kernel) => {
            const common = Math.min(copy.end, kernel.end) - Math.max(copy.start, kernel.start);
            return common > 0 && common >= Math.min(copy.end - copy.start, kernel.end - kernel.start) / 2;
          });
        const isOfHost = verdict.cause.startsWith('pageable') || verdict.cause === 'waits-for-earlier-work';
        expect([verdict.op, verdict.cause === 'overlapped' || (shared && isOfHost)]).toEqual([verdict.op, shared]);
      }
    });
  });

  it('rest on what the trace and the experiment show', () => {
    check(({ program, all }) => {
      for (const verdict of all) {
        const turn = inTurn(verdict);
        if (verdict.cause === 'overlapped' || verdict.cause === 'nothing-to-overlap' || turn === null) continue;
        const [first, second] = turn;
        const kinds = turn.map(({ op }) => program.streams[streamOf(program, op)]?.kind);
        const named = [verdict.cause, ...verdict.also];
        expect(named.includes('same-stream')).toBe(first.lane === second.lane);
        if (named.includes('legacy-default-stream')) expect(kinds).not.toContain('non-blocking');
        if (named.includes('event-dependency')) {
          const codes = program.threads.flatMap((thread) => thread.instructions).map(({ code }) => code);
          expect(codes).toContain('waitEvent');
        }
        if (verdict.cause === 'pageable-source' || verdict.cause === 'pageable-destination') {
          const [call, copy] = [role(verdict, 'copy-call'), role(verdict, 'copy')];
          const held = (call?.endNs ?? 0) - (call?.startNs ?? 0);
          expect(role(verdict, 'holding-call')).toMatchObject({ startNs: call?.startNs, op: verdict.op });
          expect(held).toBeGreaterThan(((copy?.endNs ?? 0) - (copy?.startNs ?? 0)) / 4);
        }
        if (verdict.cause === 'engine-busy') {
          const obstacle = role(verdict, 'blocking-operation');
          // A staged copy lets others run between its parts.
          if (obstacle !== undefined && !isStaged(program, obstacle.op))
            expect(obstacle.endNs).toBeLessThanOrEqual(role(verdict, 'copy')?.startNs ?? 0);
        }
        if (verdict.cause === 'copy-queues') {
          const [copy, head] = [role(verdict, 'copy'), role(verdict, 'blocking-operation')];
          expect(head?.lane).not.toBe(copy?.lane);
          expect(head?.endNs).toBeLessThanOrEqual(copy?.startNs ?? 0);
          expect(head?.startNs).toBeGreaterThanOrEqual(role(verdict, 'copy-call')?.endNs ?? 0);
        }
        if (verdict.cause === 'mapped-memory') {
          const [copy, call] = [role(verdict, 'copy'), role(verdict, 'copy-call')];
          const kernel = role(verdict, 'blocking-operation');
          const found = instruction(program, kernel?.op ?? -1);
          const shape = found?.code === 'kernel' ? found.kernel : null;
          const worked = shape?.kind === 'stream' ? [shape.src, shape.dst] : [];
          expect(worked.map((one) => program.buffers[one]?.memory)).toContain('mapped');
          expect(kernel?.lane).not.toBe(copy?.lane);
          // The kernel ran during the wait of the copy.
          expect(kernel?.startNs).toBeLessThan(copy?.startNs ?? 0);
          expect(kernel?.endNs).toBeGreaterThan(call?.startNs ?? 0);
        }
        if (verdict.cause === 'too-small') {
          // The profile's most expensive calls, 26 µs for a launch and 17 µs for 64 KB: less than both together.
          expect(first.endNs - first.startNs).toBeLessThan(45_000);
        }
        if (verdict.cause === 'issued-too-late') {
          const call = role(verdict, second === role(verdict, 'copy') ? 'copy-call' : 'kernel-call');
          const shorter = Math.min(first.endNs - first.startNs, second.endNs - second.startNs);
          // Issued too late to begin in time, or begun as soon as it was issued, within a few µs.
          const atOnceNs = second.startNs - Math.max(4000, shorter / 2);
          expect(call?.endNs ?? 0).toBeGreaterThanOrEqual(Math.min(first.endNs - shorter / 2, atOnceNs));
        }
      }
    });
  });

  it('leave next to nothing unexplained', () => {
    let [total, unexplained] = [0, 0];
    check(({ all }) => {
      total += all.length;
      unexplained += all.filter(({ cause }) => cause === 'unexplained').length;
    });
    expect(total).toBeGreaterThan(500);
    expect(unexplained / total).toBeLessThan(0.005);
  });
});
