import { describe, expect, it } from 'vitest';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { drawnTrace } from '../../support/drawnTraces.ts';
import { read } from '../import/support.ts';
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

  it('names own work of the host first if no recommended change shortens it', async () => {
    const text = drawnTrace((program) => {
      for (let token = 0; token < 60; token += 1) {
        for (let layer = 0; layer < 12; layer += 1) {
          program.operator('aten::view', 20);
          program.kernel(3);
        }
        program.copy('DtoH', 4096, 5);
        program.silence(200);
      }
    });
    const { answer, plan } = traceAnswers(await read(text), costs);
    expect(plan[0]?.changes).toContain('graph');
    expect(answer).toMatch(/^\S+ ms of \S+ ms are the program's own host work/);
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
