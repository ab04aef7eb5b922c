/** Programs as PyTorch users see them: environment.frontend "pytorch". */
import { describe, expect, it } from 'vitest';
import { predict } from '../../../core/explain/remedies/predict.ts';
import { machinesAround } from '../../../core/machine/cost/spread.ts';
import type { CostModel } from '../../../core/machine/costModel.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { frontendCalls } from '../../../core/program/frontend.ts';
import { lower } from '../../../core/program/lower.ts';
import { experimentOf } from '../support/experiments.ts';
import { h200, h200Costs, h200Machine } from './toy.ts';

const frontends = ['cuda', 'pytorch'] as const;
type Frontend = (typeof frontends)[number];

/** The loops of the PyTorch tutorial on pin_memory and non_blocking: 1,000 tensors of 1,000 numbers. */
const tutorial = (frontend: Frontend, isBlocking: boolean) =>
  experimentOf({ environment: { frontend } }, [
    {
      op: 'multiCopy',
      payload: { tensors: 1000, bytes: 4000, memory: 'pageable' },
      strategy: isBlocking ? 'blocking-loop' : 'non-blocking-loop',
    },
    { op: 'synchronizeDevice' },
  ]);
const makespan = (frontend: Frontend, isBlocking: boolean, costs: CostModel): number =>
  simulate(lower(tutorial(frontend, isBlocking)), costs).makespanNs;
const ratio = (frontend: Frontend, costs: CostModel): number =>
  makespan(frontend, false, costs) / makespan(frontend, true, costs);

describe('the tutorial with 1,000 small tensors', () => {
  it('takes the recorded part of its time with non_blocking=True if PyTorch calls, and less if CUDA is called', () => {
    // Two H200 machines: 7.94 of 12.9 ms, and 13.6 of 20.3 ms.
    expect(ratio('pytorch', h200Costs)).toBeGreaterThan(0.59);
    expect(ratio('pytorch', h200Costs)).toBeLessThan(0.67);
    expect(ratio('cuda', h200Costs)).toBeLessThan(0.3);
  });

  it('can take the published 0.75 of it on a slower host of the same kind', () => {
    const slow = machinesAround(h200)?.pairs.map(([, slower]) => ratio('pytorch', slower)) ?? [];
    expect(Math.max(...slow)).toBeGreaterThan(0.75);
  });
});

describe('calls into PyTorch', () => {
  const parts = {
    environment: { frontend: 'pytorch' },
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 4096 },
      { id: 'device', memory: 'device', bytes: 4096 },
    ],
    streams: [{ id: 's' }, { id: 't' }],
    events: [{ id: 'e' }],
  };
  const copy = (stream: string, bytes = 4096) => ({ op: 'copy', src: 'host', dst: 'device', bytes, stream });
  const callsOf = (...operations: object[]) => {
    const program = lower(experimentOf(parts, operations));
    return program.threads.map((thread) => frontendCalls(thread, program).map((calls) => calls.join(' ')))[0];
  };

  it('enter a stream only if it is not the current one, also in a loop', () => {
    const record = { op: 'recordEvent', event: 'e', stream: 's' };
    expect(callsOf(copy('default'), copy('s'), record, copy('s'))).toEqual([
      'tensor',
      'stream tensor',
      'handle',
      'tensor',
    ]);
    expect(callsOf({ op: 'repeat', count: 3, operations: [copy('s')] })).toEqual(['', 'tensor', '']);
    expect(callsOf({ op: 'repeat', count: 3, operations: [copy('s'), copy('t')] })).toEqual([
      ...['', 'stream tensor', 'stream tensor', ''],
    ]);
  });

  it('slice both ends of a copy of parts', () => {
    expect(callsOf(copy('default', 1024))).toEqual(['tensor tensor tensor']);
  });

  it('do not precede recorded calls: their time is work of the document already', () => {
    expect(callsOf({ ...copy('s'), recorded: { callNs: 10 } })).toEqual(['']);
  });
});

describe('the verdict on them', () => {
  const kernels = (durationNs: number) => (frontend: Frontend) =>
    experimentOf({ environment: { frontend } }, [
      {
        op: 'repeat',
        count: 100,
        operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs } }],
      },
      { op: 'synchronizeDevice' },
    ]);
  const found = (programs: (frontend: Frontend) => ReturnType<typeof experimentOf>) => {
    const [cuda, pytorch] = frontends.map((frontend) => predict(programs(frontend), h200Machine));
    return {
      gainNs: (pytorch?.makespanNs ?? 0) - (cuda?.makespanNs ?? 0),
      verdict: pytorch?.verdicts.find(({ cause }) => cause === 'frontend-calls'),
      others: cuda?.verdicts.filter(({ cause }) => cause === 'frontend-calls'),
    };
  };

  it.each([
    ['small kernels', kernels(3000)],
    ['small tensors', (frontend: Frontend) => tutorial(frontend, false)],
  ])('says what PyTorch takes from a program of %s', (_, programs) => {
    const { verdict, gainNs, others } = found(programs);
    expect((verdict?.costNs ?? 0) / gainNs).toBeCloseTo(1, 1);
    expect(others).toEqual([]);
  });

  it('is not given if the host is ahead of the device all the same', () => {
    expect(found(kernels(100_000)).verdict).toBe(undefined);
  });
});
