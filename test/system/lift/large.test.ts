import { expect, it } from 'vitest';
import { knownMachine, traceAnswers } from '../../../core/lift/answers.ts';
import { Planner } from '../../../core/lift/plan.ts';
import { profilerOf } from '../../../core/lift/profilerCost.ts';
import { Nesting } from '../../../core/lift/ranges.ts';
import type { Item, Script } from '../../../core/lift/script.ts';
import { complete, read, traceOf } from '../../unit/import/support.ts';
import { h200Costs as costs } from '../../unit/machine/toy.ts';
import { Random } from '../../unit/support/random.ts';

/** Returns names that don't repeat, so that everything is one step. */
const kernelNames = (seed: number) => {
  const random = new Random(seed);
  return () => `k${random.below(64)}`;
};

/** Returns a trace with only launches and their kernels. */
async function manyLaunches(count: number) {
  const name = kernelNames(9);
  const events = Array.from({ length: count }, (_, index) => [
    complete('cuda_runtime', 'cudaLaunchKernel', index * 4, 1, { correlation: index + 1 }),
    complete('kernel', name(), index * 4 + 2, 1, { device: 0, stream: 7, correlation: index + 1 }),
  ]);
  return read(traceOf(events.flat()));
}

/** Returns a script of copies in groups of three before a kernel, with a wait of the host after each group. */
function script(copies: number): Script {
  const stream = 'stream:7';
  const items = Array.from({ length: copies }, (_, id): Item[] => [
    {
      ...{
        kind: 'copy',
        id,
        step: 0,
        direction: 'h2d',
        host: 'pageable',
        bytes: 100,
        stream,
        line: '',
        hostAddress: 0,
      },
      ...{ callNs: 1000, deviceNs: 1000, heldNs: 1000, row: 0 },
    },
    ...(id % 3 < 2 ? [] : [launch, { kind: 'sync', stream: null, callNs: 1000, copy: -1, line: '' } as const]),
  ]);
  return { name: 'script', steps: [{ name: 'step', items: items.flat() }], helper: null, inTurn: [], inferred: [] };
}

const launch: Item = {
  ...{ kind: 'launch', name: 'k', stream: 'stream:7', callNs: 1000 },
  ...{ deviceNs: 1000, shares: false, nodes: 1 },
};

/** Returns costs that count the simulations with them. */
function counted() {
  const count = { replays: 0 };
  const model = new Proxy(costs, {
    get: (of, name) => {
      if (name === 'firstCalls') count.replays += 1;
      const value = of[name as keyof typeof of];
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
  return { count, model };
}

it('the plan of a long step simulates it less often the longer it is, says so, and tells what gains most', () => {
  const planned = (copies: number) => {
    const { count, model } = counted();
    const planner = new Planner({
      script: script(copies),
      costs: model,
      machine: knownMachine(costs, 'NVIDIA H200'),
      profiler: profilerOf({}),
    });
    return { planner, plan: planner.plan(), count };
  };
  const [short, long] = [planned(300), planned(4900)];
  expect(short.planner.notes).toEqual([]);
  expect(long.planner.notes.join()).toMatch(/^The plan simulates these steps about 36 times at most/);
  expect(short.count.replays).toBeGreaterThan(60);
  expect(long.count.replays).toBeLessThan(60);
  const [first] = long.plan.remedies;
  expect(first?.gainShare).toBeGreaterThan(0);
  expect(first?.lowShare).toBeLessThan(first?.gainShare ?? 0);
});

it('a step without end has calls of its middle taken, and says so', async () => {
  const run = await manyLaunches(21_000);
  const { steps } = traceAnswers(run, costs);
  expect(steps.rule).toContain('20,000');
  // One call every 4 µs.
  expect(steps.medianNs / 4000).toBeCloseTo(20_000, -1);
  expect(steps.inferred[0]).toContain('20,000');
});

it('stretches of time that nest are found as a look at all of them finds them', () => {
  const random = new Random(11);
  for (let round = 0; round < 200; round += 1) {
    const spans = Array.from({ length: 1 + random.below(40) }, () => {
      const from = random.below(100);
      return { from, to: from + random.below(30) };
    }).sort((a, b) => a.from - b.from);
    const nesting = new Nesting(
      spans.length,
      (index) => spans[index]?.from ?? 0,
      (index) => spans[index]?.to ?? 0,
    );
    const from = random.below(120);
    const to = from + random.below(10);
    const holding = spans.flatMap((one, index) => (one.from <= from && one.to >= to ? [index] : []));
    expect([...nesting.holding(from, to)]).toEqual(holding.reverse());
  }
});
