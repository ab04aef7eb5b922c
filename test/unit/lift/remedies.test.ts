/** What a plan tells first of programs whose remedy is not a matter of pinning: drawn traces of six steps each. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { profileCosts } from '../../../core/cost/profileCosts.ts';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import type { ChangeWord } from '../../../core/lift/changes/words.ts';
import { parseProfile } from '../../../core/profile/profile.ts';
import { complete, read, traceOf } from '../import/support.ts';

const costs = profileCosts(parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8'))));

/** Writes the events of a program of one stream: launches return at once, and copies of pageable memory when they are done. */
class Program {
  readonly events: ReturnType<typeof complete>[] = [];
  #at = 1000;
  #free = 0;
  #correlation = 0;

  step(body: () => void): void {
    const from = this.#at;
    body();
    this.events.push(complete('user_annotation', `ProfilerStep#${this.events.length}`, from, this.#at - from));
    this.#at += 2;
  }

  kernel(us: number, name = 'gemm', stream = 7): void {
    const correlation = ++this.#correlation;
    this.events.push(complete('cuda_runtime', 'cudaLaunchKernel', this.#at, 5, { correlation }));
    this.events.push(complete('kernel', name, this.#startOf(us), us, { correlation, device: 0, stream }));
    this.#at += 6;
  }

  copy(direction: 'HtoD' | 'DtoH', bytes: number, us: number): void {
    const correlation = ++this.#correlation;
    const name = `Memcpy ${direction} (${direction === 'HtoD' ? 'Pageable -> Device' : 'Device -> Pageable'})`;
    const start = this.#startOf(us);
    const held = start + us + 2 - this.#at;
    this.events.push(complete('cuda_runtime', 'cudaMemcpyAsync', this.#at, held, { correlation }));
    this.events.push(complete('gpu_memcpy', name, start, us, { correlation, device: 0, stream: 7, bytes }));
    this.#at += held + 1;
  }

  /** When the device begins what is issued now and takes so many microseconds. */
  #startOf(us: number): number {
    const start = Math.max(this.#free, this.#at + 8);
    this.#free = start + us;
    return start;
  }

  operator(name: string, us: number): void {
    this.events.push(complete('cpu_op', name, this.#at, us));
    this.#at += us + 1;
  }

  loader(us: number): void {
    const name = 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__';
    this.events.push(complete('user_annotation', name, this.#at, us));
    this.#at += us + 1;
  }

  call(name: string, us: number): void {
    this.events.push(complete('cuda_runtime', name, this.#at, us, { correlation: ++this.#correlation }));
    this.#at += us + 1;
  }
}

async function answersOf(step: (program: Program) => void, tried?: readonly ChangeWord[]): Promise<TraceAnswers> {
  const program = new Program();
  for (let number = 0; number < 6; number += 1) program.step(() => step(program));
  const run = await read(traceOf(program.events));
  return traceAnswers(run, costs, { tried });
}

const MB = 1e6;

/** Layers fetch their weights at every forward: 8 of 1.5 ms and 0.2 ms of kernels each. */
const weights = (program: Program): void => {
  for (let layer = 0; layer < 8; layer += 1) {
    program.copy('HtoD', (8 + layer) * MB, 1500);
    program.kernel(200);
  }
};

const sampling = (program: Program): void => {
  program.kernel(1000);
  program.copy('DtoH', 4 * MB, 500);
  program.operator('aten::softmax', 3000);
  program.operator('aten::multinomial', 5000);
  program.copy('HtoD', 512, 4);
};

const gathering = (program: Program): void => {
  program.operator('aten::index', 8000);
  program.copy('HtoD', 64 * MB, 7000);
  program.kernel(1500);
};

const features = (program: Program): void => {
  program.operator('aten::_fft_r2c', 4000);
  program.operator('aten::abs', 4000);
  program.copy('HtoD', 2 * MB, 200);
  program.kernel(1500);
};

const normalising = (program: Program): void => {
  program.operator('aten::copy_', 5000);
  program.operator('aten::div_', 3000);
  program.copy('HtoD', 48 * MB, 6000);
  program.kernel(4000);
};

const loading = (program: Program): void => {
  program.loader(42_000);
  program.kernel(6000);
};

const allocating = (program: Program): void => {
  program.call('cudaMalloc', 3000);
  program.kernel(4000);
  program.call('cudaFree', 2000);
};

const batch = (program: Program): void => {
  program.copy('HtoD', 32 * MB, 3000);
  for (let layer = 0; layer < 8; layer += 1) program.kernel(500);
};

const communicating = (program: Program): void => {
  program.kernel(5000);
  program.kernel(15_000, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', 20);
};

describe('the first advice', () => {
  it.each([
    ['weights that are copied at every forward', weights, 'keep-on-device', 0.85],
    ['tokens that are drawn on the host', sampling, 'move-to-device', 0.75],
    ['rows that are gathered on the host', gathering, 'move-to-device', 0.6],
    ['features that are computed on the host', features, 'move-to-device', 0.6],
    ['images that are normalised on the host', normalising, 'send-smaller', 0.4],
    ['a loader in the thread of the steps', loading, 'load-in-workers', 0.7],
    ['memory that is allocated in every step', allocating, 'keep-memory', 0.15],
  ] as const)('for %s is to mend that', async (_, step, change, least) => {
    const { plan } = await answersOf(step, [change]);
    expect(plan[0]?.changes).toContain(change);
    expect(plan[0]?.gainShare).toBeGreaterThan(least);
    expect(plan[0]?.lowShare).toBeLessThan(plan[0]?.gainShare ?? 0);
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

describe('what a remedy needs', () => {
  it('is the memory of the device for what stays there', async () => {
    const { tried } = await answersOf(weights, ['keep-on-device']);
    expect(tried?.needs.join()).toMatch(/92 MB/);
  });

  it('is as many workers as keep up with the step', async () => {
    const { tried } = await answersOf(loading, ['load-in-workers']);
    expect(tried?.needs.join()).toMatch(/42\.0 ms .* 7 workers/);
  });
});

describe('overlapping communication', () => {
  it('is told with a bound that reaches from nothing to all of what is exposed, after what surely gains', async () => {
    const { plan } = await answersOf(communicating);
    const told = plan.find(({ changes }) => changes.includes('overlap-communication'));
    expect(told?.lowShare).toBeLessThanOrEqual(0);
    expect(told?.highShare).toBeLessThanOrEqual(0.75);
    expect(told?.stepNs).toBeGreaterThanOrEqual(told?.floorNs ?? 0);
    expect(plan.slice(plan.indexOf(told as (typeof plan)[number])).every(({ mayGainNothing }) => mayGainNothing)).toBe(
      true,
    );
  });
});
