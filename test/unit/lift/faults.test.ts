import { describe, expect, it } from 'vitest';
import { gate } from '../../../core/apps/gate/gate.ts';
import { noRules } from '../../../core/apps/gate/parse.ts';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { plannerOf, type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import type { ChangeWord } from '../../../core/lift/changes/words.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import type { StepPart } from '../../../core/lift/parts.ts';
import { lower } from '../../../core/program/lower.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const fault = (name: string) => importTraceFile(`test/fixtures/trace-faults/${name}.json`, 'test');
const published = (name: string) => importTraceFile(`test/fixtures/public-traces/${name}.json.gz`, 'test');
const faultAnswers = async (name: string, tried?: readonly ChangeWord[]) =>
  traceAnswers(await fault(name), costs, { tried });
const publishedAnswers = async (name: string) => traceAnswers(await published(name), costs);

const partOf = ({ steps }: TraceAnswers, asked: StepPart) => {
  const found = steps.parts.find(({ part }) => part === asked);
  if (found === undefined) throw new Error(`no part ${asked}`);
  return found;
};
const gainOf = ({ plan }: TraceAnswers, word: ChangeWord): number =>
  Math.max(0, ...plan.filter(({ changes }) => changes.includes(word)).map(({ gainShare }) => gainShare));

describe('a trace made by hand', () => {
  it('a trace whose kernels fill the step gains nothing by a graph, and its first sentence says so', async () => {
    const answers = await faultAnswers('graph_device_bound', ['graph']);
    expect(answers.steps.medianNs).toBeCloseTo(1.212e6, -4);
    expect(answers.tried?.gainShare).toBeLessThan(0.011);
    expect(answers.tried?.stepNs).toBeGreaterThanOrEqual(1.2e6);
    expect(answers.plan).toEqual([]);
    expect(answers.answer).toContain('99.0 %');
  });

  it.each(['dataloader_workers0', 'dataloader_workers0_no_cpu_ops'])(
    'a trace that loads in its own thread names its loading and its loader: %s',
    async (name) => {
      const answers = await faultAnswers(name);
      expect(partOf(answers, 'loading-data').share).toBeCloseTo(0.857, 2);
      expect(partOf(answers, 'loading-data').names[0]?.name).toContain('enumerate(DataLoader)');
      expect(answers.plan[0]?.changes).toEqual(['load-in-workers']);
    },
  );

  it('with unequal steps takes no longer without the profiler, in a wide interval with a caution', async () => {
    const { steps } = await faultAnswers('unequal_steps');
    expect(steps.unprofiledNs).toBeLessThanOrEqual(22.04e6);
    expect(steps.unprofiledHighNs).toBeGreaterThan(49e6);
    expect(steps.caution).toContain('50.0 ms');
  });

  it('a trace with an empty last step has the other step’s time, and a note on what was left out', async () => {
    const { steps } = await faultAnswers('empty_last_step');
    expect(steps.medianNs).toBeCloseTo(8.87e6, -5);
    expect(steps.rule).toContain('1 that puts nothing on the device is left out');
  });

  it('a trace of one graph launch is one step of its device time, and lifts to a valid experiment', async () => {
    const run = await fault('one_graph_launch');
    const answers = traceAnswers(run, costs);
    expect(answers.steps.medianNs).toBeCloseTo(3.06e6, -4);
    expect(partOf(answers, 'kernels').share).toBeCloseTo(0.98, 2);
    const lifted = liftTrace(run.trace, 'graph');
    const { experiment } = experimentOf(plannerOf(lifted, run.info, costs).changed([]), 'graph');
    const parsed = parseExperiment(JSON.parse(JSON.stringify(experiment)));
    expect(parsed.ok ? [] : parsed.problems).toEqual([]);
    expect(lower(experiment).operations.length).toBeGreaterThan(0);
  });

  it('whose collective runs alone is held by communication, and its replay keeps the order', async () => {
    const answers = await faultAnswers('nccl_exposed');
    expect(partOf(answers, 'communication').share).toBeCloseTo(0.75, 2);
    expect(answers.steps.unprofiledNs).toBeCloseTo(20.03e6, -5);
    expect(answers.steps.caution).toBeNull();
  });

  it('that initialises CUDA in its first copy tells that once, and not as a gain of other copies', async () => {
    const answers = await faultAnswers('cuda_init_in_first_copy', ['batch']);
    const { ns, names } = answers.steps.initialisation;
    expect(ns).toBeCloseTo(28.8e9, -3);
    expect(names.map(({ name }) => name)).toEqual(['cudaDeviceGetStreamPriorityRange']);
    expect(answers.steps.medianNs).toBeLessThan(0.3e9);
    // Share of the remaining step: of the whole recording it is less than 0.1 %.
    expect((answers.tried?.gainShare ?? 1) * answers.steps.medianNs).toBeLessThan(0.001 * ns);
  });

  it('whose device is a step behind blocks the host in each step for as long as its call takes', async () => {
    const run = await fault('device_one_step_behind');
    const rules = { ...noRules, limits: new Map([['hostHeldNs' as const, 1e6]]) };
    const { passed, results } = gate({ run, file: null }, rules, null);
    expect(passed).toBe(false);
    expect(results[0]?.value).toBeCloseTo(146e6, -6);
  });

  it('whose host waits in a copy for something else is held by waiting, and gains nothing by pinning', async () => {
    const { answer, plan } = await faultAnswers('device_one_step_behind');
    expect(answer).toMatch(/^86\.3 ms of 216 ms are the host in waiting calls/);
    expect(plan.filter(({ mayGainNothing }) => !mayGainNothing)).toEqual([]);
  });
});

describe('a public trace', () => {
  it('a trace of one graph launch names the call that blocked the host', async () => {
    const answers = await publishedAnswers('tracelens_sglang_decode_graph');
    expect(answers.steps.medianNs).toBeGreaterThan(463e6);
    expect(partOf(answers, 'waiting').ns).toBeCloseTo(463e6, -6);
    expect(partOf(answers, 'waiting').names[0]?.name).toBe('hipMemcpyWithStream');
  });

  it('a trace with 97 % kernels has nothing to gain, and its first sentence says so', async () => {
    const { answer, plan } = await publishedAnswers('tracelens_torch_compile');
    expect(answer).toContain('97.0 %');
    expect(plan.filter(({ gainShare }) => gainShare > 0.05)).toEqual([]);
  });

  it('that waits half a minute for CUDA gains nothing of that by joining copies', async () => {
    const answers = await publishedAnswers('hta_alexnet');
    expect(answers.steps.initialisation.ns).toBeGreaterThan(29.9e9);
    expect(answers.steps.initialisation.names[0]?.name).toBe('cudaDeviceGetStreamPriorityRange');
    expect(gainOf(answers, 'batch')).toBeLessThan(0.02);
  });

  it('whose last ProfilerStep is empty takes what the other one takes', async () => {
    const answers = await publishedAnswers('hta_mi250_minitoy');
    expect(answers.steps.medianNs).toBeCloseTo(9.3e6, -5);
    expect(answers.steps.count).toBe(1);
  });

  it('a trace of one rank of several shows its exposed communication', async () => {
    const answers = await publishedAnswers('hta_nccl_rank0');
    expect(answers.steps.medianNs).toBeCloseTo(607e6, -6);
    expect(partOf(answers, 'communication').ns).toBeCloseTo(172e6, -6);
  });
});
