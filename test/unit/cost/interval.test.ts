import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { figuresAround, intervalAround, intervalText, rangeAround } from '../../../core/machine/cost/interval.ts';
import { machinesAround } from '../../../core/machine/cost/spread.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lowerToSimulate } from '../../../core/program/lower.ts';
import { atOnce } from '../../../core/steps.ts';
import { h200, h200Costs } from '../machine/toy.ts';

const examples = 'assets/examples';
const programOf = (name: string) =>
  lowerToSimulate(requireExperiment(readFileSync(join(examples, `${name}.json`), 'utf8')));

/** Returns the predicted makespan, and its interval's relative width. */
function told(name: string): { readonly makespanNs: number; readonly width: number } {
  const program = programOf(name);
  const machines = machinesAround(h200);
  if (machines === null) throw new Error('no machines');
  const around = atOnce(figuresAround(program, machines, (result): number => result.makespanNs));
  if (around === null) throw new Error('not simulated');
  const { makespanNs } = simulate(program, h200Costs);
  const { lowNs, highNs } = intervalAround(makespanNs, around);
  expect(lowNs).toBeGreaterThan(0);
  expect(lowNs).toBeLessThan(makespanNs);
  expect(highNs).toBeGreaterThan(makespanNs);
  return { makespanNs, width: (highNs - lowNs) / makespanNs };
}

const figure = fc.double({ min: -1e9, max: 1e9, noNaN: true });
const pairs = fc.array(fc.tuple(figure, figure), { maxLength: 6 });
const part = fc.double({ min: 0, max: 0.2, noNaN: true });

describe('an interval', () => {
  it('holds what is predicted', () => {
    fc.assert(
      fc.property(figure, pairs, part, (point, around, residualShare) => {
        const [low, high] = rangeAround(point, { pairs: around, residualShare });
        expect(low).toBeLessThanOrEqual(point);
        expect(high).toBeGreaterThanOrEqual(point);
      }),
    );
  });

  it('is never narrower where a group or the rest spreads more', () => {
    const more = fc.double({ min: 1, max: 3, noNaN: true });
    fc.assert(
      fc.property(figure, pairs, part, fc.nat(5), more, more, (point, around, residualShare, group, by, restBy) => {
        const [low, high] = rangeAround(point, { pairs: around, residualShare });
        const further = (value: number): number => point + by * (value - point);
        const wider = around.map(([fast, slow], index) =>
          index === group ? ([further(fast), further(slow)] as const) : ([fast, slow] as const),
        );
        const [lower, higher] = rangeAround(point, { pairs: wider, residualShare: residualShare * restBy });
        const rounding = 1e-9 * (Math.abs(low) + Math.abs(high) + 1);
        expect(lower).toBeLessThanOrEqual(low + rounding);
        expect(higher).toBeGreaterThanOrEqual(high - rounding);
      }),
    );
  });

  it('holds the makespan of every example', () => {
    const names = readdirSync(join(examples, 'verdicts')).map((file) => `verdicts/${file.replace('.json', '')}`);
    for (const name of names) told(name);
  });

  it('is wide where host memory decides, and narrow where the link does', () => {
    expect(told('overlap/pageable-same-stream').width).toBeGreaterThan(0.4);
    expect(told('overlap/pinned-side-stream').width).toBeLessThan(0.25);
  });

  it('an interval is written with one unit', () => {
    expect(intervalText({ lowNs: 9_800_000, highNs: 20_000_000, level: 0.9 })).toBe('9.8 to 20 ms (90 %)');
    expect(intervalText({ lowNs: 940_000, highNs: 1_250_000, level: 0.9 })).toBe('940 µs to 1.25 ms (90 %)');
    expect(intervalText({ lowNs: -200_000, highNs: 1_300_000, level: 0.9 })).toBe('−200 µs to 1.3 ms (90 %)');
    expect(intervalText({ lowNs: 0, highNs: 100, level: 0.9 })).toBe('0 to 100 ns (90 %)');
  });

  it('an interval is left out if simulating it for each machine would take too long', () => {
    const machines = machinesAround(h200);
    if (machines === null) throw new Error('no machines');
    const program = programOf('overlap/pageable-same-stream');
    expect(atOnce(figuresAround(program, machines, () => 0, { maxInstructions: 2 }))).toBeNull();
  });
});
