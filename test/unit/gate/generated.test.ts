/** 200 programs with known answers: a limit at the answer holds, and one just below it is broken, for each figure. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { simEngine } from '../../../core/cost/simEngine.ts';
import type { GateFigure } from '../../../core/gate/figures.ts';
import { type GateInput, gate } from '../../../core/gate/gate.ts';
import { noRules } from '../../../core/gate/parse.ts';
import type { GateReport } from '../../../core/gate/report.ts';
import { parseProfile } from '../../../core/profile/profile.ts';
import { lower } from '../../../core/program/lower.ts';
import { lowerMedian } from '../../../core/statistics.ts';
import { read } from '../import/support.ts';
import { Random } from '../support/random.ts';
import { randomExperiment } from './experiments.ts';
import { type KnownStep, randomTrace } from './traces.ts';

const judged = (input: GateInput, figure: GateFigure, most: number): GateReport =>
  gate(input, { ...noRules, limits: new Map([[figure, most]]) }, null);

/** Holds at the answer, and not below it. */
function expectFigure(input: GateInput, figure: GateFigure, answer: number, below: number): void {
  const at = judged(input, figure, answer);
  expect({ figure, value: at.results[0]?.value, passed: at.passed }).toEqual({
    figure,
    value: expect.closeTo(answer, 6),
    passed: true,
  });
  if (answer > 0) expect({ figure, passed: judged(input, figure, below).passed }).toEqual({ figure, passed: false });
}

const profile = parseProfile(
  JSON.parse(readFileSync(new URL('../../../assets/profiles/h200.json', import.meta.url), 'utf8')),
);
const engine = simEngine(async () => profile, { machine: null, version: '1', pause: async () => {} });

const most = (steps: readonly KnownStep[], figure: keyof KnownStep): number =>
  Math.max(...steps.map((step) => step[figure]));
const typical = (steps: readonly KnownStep[], figure: (step: KnownStep) => number): number =>
  lowerMedian(steps.map(figure));

describe('a gate on traces whose answers are known', () => {
  it.each(Array.from({ length: 100 }, (_, seed) => seed))('has no miss and no false alarm: %i', async (seed) => {
    const { text, steps, pageableLines, waitingLines } = randomTrace(new Random(seed));
    const input = { run: await read(text), file: null };
    for (const figure of ['pageableCopies', 'pageableBytes', 'waitingCalls'] as const) {
      const answer = most(steps, figure);
      expectFigure(input, figure, answer, answer - 1);
    }
    for (const figure of ['exposedCopyNs', 'hostHeldNs', 'stepNs'] as const) {
      const answer = typical(steps, (step) => step[figure]);
      expectFigure(input, figure, answer, answer - 1);
    }
    const idle = typical(steps, ({ idleNs, stepNs }) => idleNs / stepNs);
    const shares = judged(input, 'idleShare', 1).results[0]?.value;
    expect(shares).toBeCloseTo(idle, 9);
    expect(judged(input, 'idleShare', idle - 0.001).passed).toBe(false);
    expect(judged(input, 'idleShare', idle + 0.001).passed).toBe(true);
    expectLines(judged(input, 'pageableCopies', 0), pageableLines);
    expectLines(judged(input, 'waitingCalls', 0), waitingLines);
  });
});

/** Every place that is told is one of the program's, and none is missing where a figure is broken. */
function expectLines({ results, passed }: GateReport, lines: ReadonlySet<number>): void {
  const found = results.flatMap(({ findings }) => findings.map(({ place }) => place));
  expect(passed).toBe(found.length === 0);
  for (const { file, line } of found)
    expect({ file, known: lines.has(line ?? 0) }).toEqual({ file: 'train.py', known: true });
}

describe('a gate on experiments whose answers are known', () => {
  it.each(Array.from({ length: 100 }, (_, seed) => seed))('has no miss and no false alarm: %i', async (seed) => {
    const { experiment, ...known } = randomExperiment(new Random(1000 + seed));
    const run = await engine.run({ experiment, program: lower(experiment), profile: profile.name });
    const input = { run, file: { name: 'program.json', text: JSON.stringify(experiment, null, 2) } };
    for (const figure of ['pageableCopies', 'pageableBytes', 'waitingCalls', 'hazards'] as const) {
      expectFigure(input, figure, known[figure], known[figure] - 1);
    }
    const [broken] = judged(input, 'pageableCopies', 0).results;
    for (const { place } of broken?.findings ?? []) {
      expect(place).toMatchObject({ file: 'program.json', path: expect.stringMatching(/^threads\[0\]\.operations/) });
    }
  });
});
