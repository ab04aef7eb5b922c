import { describe, expect, it } from 'vitest';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import type { ChangeWord } from '../../../core/lift/changes/words.ts';
import { rowKinds } from '../../../core/trace/trace.ts';
import {
  allocating,
  batch,
  communicating,
  drawnTrace,
  features,
  gathering,
  loading,
  MB,
  normalising,
  type Program,
  sampling,
  weights,
} from '../../support/drawnTraces.ts';
import { read } from '../import/support.ts';
import { h200Costs as costs } from '../machine/toy.ts';

async function answersOf(step: (program: Program) => void, tried?: readonly ChangeWord[]): Promise<TraceAnswers> {
  return traceAnswers(await read(drawnTrace(step)), costs, { tried });
}

/** Plays 25 layers of three short operators and a kernel each; steps are interrupted once, for 150 µs. */
const issuing = (program: Program): void => {
  const interrupted = program.events.length % 24;
  for (let layer = 0; layer < 25; layer += 1) {
    for (let view = 0; view < 3; view += 1) program.operator('aten::view', 30);
    if (layer === interrupted) program.operator('aten::empty', 150);
    program.kernel(3);
  }
};

/** Waits for a batch of worker processes. */
const waiting = (program: Program): void => {
  program.loader(42_000, 'MultiProcessing');
  program.kernel(6000);
};

/** Plays a batch made by native code that records nothing, between a few operators. */
const tokenising = (program: Program): void => {
  for (let part = 0; part < 3; part += 1) {
    program.operator('aten::empty', 5);
    program.silence(8000);
  }
  program.operator('aten::to', 5);
  program.copy('HtoD', 131_072, 20);
  for (let layer = 0; layer < 12; layer += 1) program.kernel(50);
};

/** Plays a batch that Python cuts out of pictures, in one function call each; `os.environ` is no loader. */
const cropping = (program: Program): void => {
  program.operator('aten::detach', 2);
  for (let picture = 0; picture < 300; picture += 1) program.python('pictures.py(45): crop', 10);
  program.python('<frozen os>(680): __getitem__', 200);
  program.copy('HtoD', 1_000_000, 100);
  for (let layer = 0; layer < 12; layer += 1) program.kernel(100);
};

it('a batch that many Python functions make is the program’s own work, with stacks as without', async () => {
  const { steps, plan } = await answersOf(cropping);
  const own = steps.parts.find(({ part }) => part === 'own-host-work');
  expect(own?.ns).toBeGreaterThan(1.5e6);
  expect(own?.names[0]?.name).toBe('pictures.py(45): crop');
  expect(steps.parts.find(({ part }) => part === 'loading-data')?.ns ?? 0).toBe(0);
  expect(plan[0]?.changes.some((change) => change === 'other-thread' || change === 'load-in-workers')).toBe(true);
});

describe('the first advice', () => {
  it.each([
    ['weights that are copied at every forward', weights, 'keep-on-device', 0.85],
    ['tokens that are drawn on the host', sampling, 'move-to-device', 0.75],
    ['rows that are gathered on the host', gathering, 'move-to-device', 0.6],
    ['features that are computed on the host', features, 'move-to-device', 0.6],
    ['images that are normalised on the host', normalising, 'send-smaller', 0.4],
    ['a loader in the thread of the steps', loading, 'load-in-workers', 0.7],
    ['texts that native code cuts before they are copied', tokenising, 'load-in-workers', 0.7],
    ['launches of a host that is interrupted now and then', issuing, 'graph', 0.7],
    ['memory that is allocated in every step', allocating, 'keep-memory', 0.15],
  ] as const)('for %s is to mend that', async (_, step, change, least) => {
    const { plan } = await answersOf(step, [change]);
    expect(plan[0]?.changes).toContain(change);
    expect(plan[0]?.gainShare).toBeGreaterThan(least);
    expect(plan[0]?.lowShare).toBeLessThan(plan[0]?.gainShare ?? 0);
  });

  it.each([
    [
      'the host reads values back between its launches',
      (program: Program) => program.copy('DtoH', 8, 2),
      'remove-wait',
    ],
    [
      'the host allocates and frees memory between its launches',
      (program: Program) => {
        program.call('cudaMalloc', 100);
        program.call('cudaFree', 100);
      },
      'keep-memory',
    ],
  ] as const)('for a step in which %s is to end that before a graph', async (_, between, change) => {
    const { plan, planSteps } = await answersOf((program) => {
      for (let round = 0; round < 8; round += 1) {
        for (let part = 0; part < 12; part += 1) {
          program.operator('aten::view', 30);
          program.kernel(3);
        }
        between(program);
      }
    });
    expect(plan[0]?.changes).toEqual([change, 'graph']);
    expect(planSteps[0]?.adds).toContain(change);
  });

  it('for a device that may be busy without the profiler is not sure to be a graph, also if the host waits', async () => {
    const { plan } = await answersOf((program) => {
      for (let round = 0; round < 8; round += 1) {
        for (let part = 0; part < 12; part += 1) {
          program.operator('aten::view', 30);
          program.kernel(28);
        }
        program.copy('DtoH', 8, 2);
      }
    });
    const withGraph = plan.filter(({ changes }) => changes.includes('graph'));
    expect(withGraph.map(({ mayGainNothing }) => mayGainNothing)).toEqual([true]);
  });

  it('for a batch that is copied before the kernels is not to keep it on the device', async () => {
    const { plan } = await answersOf(batch);
    expect(plan.flatMap(({ changes }) => changes)).not.toContain('keep-on-device');
  });

  it('for weights that the host changes is not to keep them on the device', async () => {
    const { plan } = await answersOf((program) => {
      for (const bytes of [16, 17, 18]) {
        program.copy('HtoD', bytes * MB, 2000);
        program.kernel(300);
        program.copy('DtoH', bytes * MB, 2000);
      }
      program.operator('aten::_foreach_add_', 3000);
    });
    expect(plan.flatMap(({ changes }) => changes)).not.toContain('keep-on-device');
  });
});

describe('weights of which the addresses are recorded', () => {
  const advised = async (addressOf: (copy: number, step: number) => number): Promise<readonly ChangeWord[]> => {
    const run = await read(drawnTrace(weights));
    const { columns, count } = run.trace;
    const copies = [...columns.kind.subarray(0, count).entries()].flatMap(([row, kind]) =>
      rowKinds[kind] === 'copy' ? [row] : [],
    );
    const hostAddress = new Float64Array(count);
    const each = copies.length / 6;
    for (const [at, row] of copies.entries()) hostAddress[row] = addressOf(at % each, Math.floor(at / each));
    const trace = { ...run.trace, columns: { ...columns, hostAddress } };
    return traceAnswers({ ...run, trace }, costs).plan.flatMap(({ changes }) => changes);
  };

  it('are kept on the device if each step copies them from one place', async () => {
    expect(await advised((copy) => 2 ** 46 + 2 ** 20 * copy)).toContain('keep-on-device');
  });

  it('are kept on the device if a step does not tell its addresses', async () => {
    expect(await advised((copy, step) => (step === 0 ? 0 : 2 ** 46 + 2 ** 20 * copy))).toContain('keep-on-device');
  });

  it('are other data if each step copies from another place', async () => {
    expect(await advised((copy, step) => 2 ** 46 + 2 ** 20 * (copy + 100 * step))).not.toContain('keep-on-device');
  });
});

it('host work behind a download may make what the next step copies, so that no thread is sure to do it ahead', async () => {
  const { plan } = await answersOf((program) => {
    program.copy('HtoD', 65_536, 20);
    program.kernel(200);
    program.copy('DtoH', 65_536, 20);
    program.silence(5000);
  });
  expect(plan.map(({ changes }) => changes.join())).toContain('other-thread');
  for (const { changes, mayGainNothing } of plan)
    if (changes.includes('other-thread')) expect(mayGainNothing).toBe(true);
});

it('host work between a download and an upload may need what came, so that nothing is sure to take it away', async () => {
  const { plan } = await answersOf((program) => {
    program.kernel(200);
    program.copy('DtoH', 65_536, 20);
    program.silence(5000);
    program.copy('HtoD', 65_536, 20);
    program.kernel(200);
  });
  const [first] = plan;
  expect(first?.changes).toEqual(['move-to-device']);
  expect(first?.gainShare).toBeGreaterThan(0.7);
  for (const { changes, mayGainNothing } of plan)
    if (changes.includes('other-thread') || changes.includes('move-to-device')) expect(mayGainNothing).toBe(true);
});

it('keeps on the device what goes to the host and comes back as it was', async () => {
  const { plan } = await answersOf((program) => {
    for (const bytes of [16, 17, 18]) {
      program.kernel(300);
      program.copy('DtoH', bytes * MB, 2000);
    }
    for (const bytes of [18, 17, 16]) {
      program.copy('HtoD', bytes * MB, 2000);
      program.kernel(600);
    }
  });
  expect(plan[0]?.changes).toEqual(['keep-on-device']);
  expect(plan[0]?.gainShare).toBeGreaterThan(0.7);
});

describe('needs of a remedy', () => {
  it('is the memory of the device for what stays there', async () => {
    const { tried } = await answersOf(weights, ['keep-on-device']);
    expect(tried?.needs.join()).toMatch(/92 MB/);
  });

  it('is as many workers as keep up with the step', async () => {
    const { tried } = await answersOf(loading, ['load-in-workers']);
    expect(tried?.needs.join()).toMatch(/42\.0 ms .* 7 workers/);
  });

  it('is more workers than a program has that waits for its workers', async () => {
    const { tried } = await answersOf(waiting, ['load-in-workers']);
    expect(tried?.needs.join()).toMatch(/has workers.* waits 42\.0 ms .* more/);
  });
});

it('a change that only a person can know of is in no plan, and is simulated if it is asked for', async () => {
  const kept = await answersOf(batch, ['keep-on-device']);
  expect(kept.tried?.gainShare).toBeGreaterThan(0.2);
  expect(kept.tried?.needs.join()).toContain("the trace doesn't have the data");
  const smaller = await answersOf(batch, ['send-smaller']);
  expect(smaller.tried?.gainShare).toBeGreaterThan(0.1);
  expect(smaller.tried?.gainShare).toBeLessThan(kept.tried?.gainShare ?? 0);
  expect(smaller.plan.flatMap(({ changes }) => changes)).not.toContain('send-smaller');
});

describe('a graph', () => {
  /** Plays four parts of short kernels and then long ones, each with a number that the host reads. */
  const reading = (program: Program): void => {
    for (let part = 0; part < 4; part += 1) {
      for (let layer = 0; layer < 13; layer += 1) {
        for (let view = 0; view < 3; view += 1) program.operator('aten::view', 20);
        program.kernel(layer < 10 ? 10 : 300);
      }
      program.copy('DtoH', 4, 1);
    }
  };

  it('comes after the waits that it can’t hold', async () => {
    const { planSteps } = await answersOf(reading);
    expect(planSteps[0]?.adds[0]).toBe('remove-wait');
  });

  it('may gain nothing if the host would keep up with the device without the profiler', async () => {
    const { tried } = await answersOf(
      (program) => {
        for (let layer = 0; layer < 100; layer += 1) {
          for (let view = 0; view < 8; view += 1) program.operator('aten::view', 2);
          program.kernel(20);
        }
      },
      ['graph'],
    );
    expect(tried?.lowShare).toBeLessThanOrEqual(0);
  });
});

it('overlapping communication has a bound from zero to all that is exposed, and comes after sure gains', async () => {
  const { plan } = await answersOf(communicating);
  const told = plan.find(({ changes }) => changes.includes('overlap-communication'));
  expect(told?.lowShare).toBeLessThanOrEqual(0);
  expect(told?.highShare).toBeLessThanOrEqual(0.75);
  expect(told?.stepNs).toBeGreaterThanOrEqual(told?.floorNs ?? 0);
  expect(plan.slice(plan.indexOf(told as (typeof plan)[number])).every(({ mayGainNothing }) => mayGainNothing)).toBe(
    true,
  );
});

it('allows for a thread that takes turns with the one that launches, since one at a time runs Python', async () => {
  const { plan } = await answersOf(cropping);
  const thread = plan.find(({ changes }) => changes.join() === 'other-thread');
  expect(thread?.lowShare).toBeLessThan((thread?.gainShare ?? 0) / 2);
});
