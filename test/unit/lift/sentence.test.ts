import { describe, expect, it } from 'vitest';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const answersOf = async (file: string): Promise<TraceAnswers> =>
  traceAnswers(await importTraceFile(`test/fixtures/${file}`, 'test'), costs);

describe('the answer of a trace', () => {
  it('names the part that the first remedy makes shorter, and the step after it', async () => {
    const { answer, plan, planSteps } = await answersOf('pytorch-pairs/vision.pageable.json.gz');
    expect(answer).toMatch(/^3\.23 ms of 6\.89 ms are copies of pageable memory/);
    expect(answer).toContain('3.05 ms');
    expect(planSteps.at(-1)?.changes).toEqual(plan[0]?.changes);
  });

  it('says that there is nothing to gain if kernels fill the step', async () => {
    const { answer, planSteps } = await answersOf('trace-faults/graph_device_bound.json');
    expect(answer).toMatch(/^Nothing to gain/);
    expect(planSteps).toEqual([]);
  });
});

it('a plan reaches the recommended step by plan steps that each add something', async () => {
  const { planSteps, plan, steps } = await answersOf('pytorch-pairs/vision.pageable.json.gz');
  expect(planSteps.length).toBeGreaterThan(1);
  expect(planSteps.flatMap(({ adds }) => adds).sort()).toEqual([...(plan[0]?.changes ?? [])].sort());
  expect(planSteps.every(({ addsShare }) => addsShare >= 0.01)).toBe(true);
  const stepsNs = [steps.unprofiledNs, ...planSteps.map(({ stepNs }) => stepNs)];
  expect(stepsNs).toEqual([...stepsNs].sort((a, b) => b - a));
});
