/** Block copies in the simulator: each strategy by its own parameters, against one recorded H200. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../core/code/code.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { findConflictsInSteps } from '../../../core/explain/hazards/find.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { figuresAround, intervalAround } from '../../../core/machine/cost/interval.ts';
import { machineOf } from '../../../core/machine/cost/machineOf.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower, lowerToSimulate } from '../../../core/program/lower.ts';
import { atOnce } from '../../../core/steps.ts';
import { experimentOf } from '../support/experiments.ts';
import { h200 } from './toy.ts';

const KiB = 1024;

interface Shape {
  readonly way: 'h2d' | 'd2h' | 'd2d';
  readonly memory?: 'pinned' | 'pageable';
  readonly strategy: 'loop' | 'batch' | 'kernel' | 'packed' | 'auto';
  readonly bytes: number | readonly number[];
  readonly blocks: number;
}

function experimentOfShape({ way, memory = 'pinned', strategy, bytes, blocks }: Shape) {
  const largest = typeof bytes === 'number' ? bytes : Math.max(...bytes);
  const side = (one: string) => ({ memory: one === 'h' ? memory : 'device', bytes: 2 * blocks * largest });
  const buffers = [
    { id: 'from', ...side(way.charAt(0)), pattern: { kind: 'random', seed: 7 } },
    { id: 'to', ...side(way.charAt(2)) },
  ];
  return experimentOf({ buffers, streams: [{ id: 's' }] }, [
    { op: 'blockCopy', src: 'from', dst: 'to', blocks, blockBytes: bytes, strategy, stream: 's' },
    { op: 'synchronizeStream', stream: 's' },
  ]);
}

const programOf = (shape: Shape) => lower(experimentOfShape(shape));

const predicted = (shape: Shape, profile = h200) => intervalOf(experimentOfShape(shape), profile);

function intervalOf(experiment: Experiment, profile = h200) {
  const { costs, around } = machineOf(profile);
  const program = lowerToSimulate(experiment);
  const { makespanNs } = simulate(program, costs);
  const others = around && atOnce(figuresAround(program, around, (result): number => result.makespanNs));
  if (others === null) throw new Error('not simulated');
  return { makespanNs, ...intervalAround(makespanNs, others) };
}

/** 1,024 blocks on an H200, 2026-11-29: direction, KiB, and us from call to done by loop, batch and kernel. */
const recorded = [
  ['h2d', 4, 2976, 1094, 100],
  ['d2h', 4, 2519, 1018, 94],
  ['h2d', 16, 3288, 1318, 349],
  ['h2d', 64, 4308, 2191, 1344],
  ['d2h', 64, 3691, 2136, 1300],
  ['h2d', 256, 8082, 5846, 5260],
] as const;
const shapeOf = (way: 'h2d' | 'd2h', size: number) => ({ way, bytes: size * KiB, blocks: 1024 });
const isInside = (us: number, { lowNs, highNs }: { readonly lowNs: number; readonly highNs: number }): boolean =>
  us * 1e3 >= lowNs && us * 1e3 <= highNs;

describe('block copies of a recorded H200', () => {
  it('lie in the intervals of batches and kernels', () => {
    for (const [way, size, , batch, kernel] of recorded) {
      expect(isInside(batch, predicted({ ...shapeOf(way, size), strategy: 'batch' }))).toBe(true);
      expect(isInside(kernel, predicted({ ...shapeOf(way, size), strategy: 'kernel' }))).toBe(true);
    }
  });

  it('lie in the intervals of loops, except where a copy takes as long as its call', () => {
    const inside = recorded.filter(([way, size, loop]) =>
      isInside(loop, predicted({ ...shapeOf(way, size), strategy: 'loop' })),
    );
    expect(inside.map(([way, size]) => `${way} ${size}`)).toEqual(['h2d 4', 'd2h 4', 'h2d 16', 'd2h 64', 'h2d 256']);
  });

  it('are predicted from any one batch for all others', () => {
    for (const [, fitted, , us] of recorded) {
      const entryNs = (us * 1e3) / 1024 - (fitted * KiB * 1e9) / h200.parameters['link.bytesPerSecond'];
      const profile = { ...h200, parameters: { ...h200.parameters, 'copies.batchEntryNs': entryNs } };
      for (const [way, size, , batch] of recorded) {
        expect(isInside(batch, predicted({ ...shapeOf(way, size), strategy: 'batch' }, profile))).toBe(true);
      }
    }
  });

  it('lie in the intervals on a machine whose loops, kernels and packed copies no parameter was made from', () => {
    type Measured = readonly ['h2d' | 'd2h', number, number, 'loop' | 'batch' | 'kernel' | 'packed', number];
    const points: readonly Measured[] = JSON.parse(readFileSync('test/fixtures/blocks-h200.json', 'utf8'));
    const inside = (wanted: readonly Measured[]): number =>
      wanted.filter(([way, size, blocks, strategy, us]) =>
        isInside(us, predicted({ way, bytes: size * KiB, blocks, strategy })),
      ).length / wanted.length;
    expect(inside(points.filter(([, , , strategy]) => strategy !== 'batch'))).toBeGreaterThan(0.86);
    expect(inside(points)).toBeGreaterThan(0.86);
  });

  it('are fastest by the strategy that auto picks, of those without the host', () => {
    for (const way of ['h2d', 'd2h'] as const) {
      for (const size of [4, 64, 512, 1024]) {
        for (const blocks of [16, 1024]) {
          const nsOf = (strategy: Shape['strategy']): number =>
            simulate(programOf({ way, bytes: size * KiB, blocks, strategy }), machineOf(h200).costs).makespanNs;
          expect(nsOf('auto')).toBeLessThan(1.08 * Math.min(nsOf('loop'), nsOf('batch'), nsOf('kernel')));
        }
      }
    }
  });
});

describe('a block copy', () => {
  it('leaves every block of its destination verified, whatever the strategy and the direction', () => {
    for (const way of ['h2d', 'd2h', 'd2d'] as const) {
      for (const strategy of ['loop', 'batch', 'kernel', 'auto'] as const) {
        const program = programOf({ way, strategy, bytes: [4096, 100, 36], blocks: 40 });
        const moved = program.expectations.filter(
          ({ content }) => content.pattern.kind === 'random' && content.pattern.seed === 7,
        );
        expect(moved.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(14 * 4096 + 13 * 100 + 13 * 36);
      }
    }
  });

  it('is gathered or scattered by the host if it is packed', () => {
    const codes = (way: 'h2d' | 'd2h') =>
      programOf({ way, memory: 'pageable', strategy: 'packed', bytes: 4096, blocks: 8 }).threads[0]?.instructions.map(
        ({ code }) => code,
      );
    expect(codes('h2d')).toEqual(['packBlocks', 'copy', 'blockCopy', 'synchronizeStream', 'synchronizeStream']);
    expect(codes('d2h')).toEqual(['blockCopy', 'copy', 'synchronizeStream', 'packBlocks', 'synchronizeStream']);
  });

  it('conflicts only with what touches the same blocks', () => {
    const document = experimentOfShape({ way: 'h2d', strategy: 'kernel', bytes: 4096, blocks: 4 });
    const copy = { op: 'blockCopy', src: 'from', dst: 'to', blocks: 2, blockBytes: 4096, stream: 's' };
    const conflicts = (first: readonly number[], second: readonly number[]) => {
      const operations = [
        { ...copy, srcLayout: [0, 1], dstLayout: first },
        { ...copy, srcLayout: [2, 3], dstLayout: second, stream: 't' },
      ];
      const streams = [...document.streams, { id: 't', flags: 'non-blocking' }];
      const two = requireExperiment({ ...document, streams, threads: [{ id: 'main', operations }] });
      return atOnce(findConflictsInSteps(lower(two))).conflicts.length;
    };
    expect(conflicts([0, 2], [1, 3])).toBe(0);
    expect(conflicts([0, 2], [2, 3])).toBe(1);
  });

  it('is refused with its field if it can not be made', () => {
    const refused = (shape: Partial<Shape>, more: object = {}) => {
      const document = experimentOfShape({ way: 'h2d', strategy: 'loop', bytes: 4096, blocks: 8, ...shape });
      const [copy, ...rest] = document.threads[0]?.operations ?? [];
      const operations = [{ ...copy, ...more }, ...rest];
      return () => lower(requireExperiment({ ...document, threads: [{ id: 'main', operations }] }));
    };
    expect(refused({}, { blocks: 17 })).toThrow('the blocks need 69632 bytes, and "from" has 65536.');
    expect(refused({}, { srcLayout: [1, 2] })).toThrow('2 slots are listed for 8 blocks.');
    expect(refused({ blocks: 2 }, { dstLayout: [1, 1] })).toThrow('two blocks have one slot.');
    expect(refused({ memory: 'pageable', strategy: 'batch' })).toThrow('a batch copy works on page-locked memory');
    expect(refused({ strategy: 'batch' }, { stream: 'legacy' })).toThrow('refuses the legacy default stream');
    expect(refused({ memory: 'pageable', strategy: 'kernel' })).toThrow("the device can't reach");
    expect(refused({ way: 'd2d', strategy: 'packed' })).toThrow('both buffers are device memory');
  });

  it('with a call for each block has a faster strategy as its remedy', () => {
    const document = experimentOfShape({ way: 'h2d', strategy: 'loop', bytes: 4096, blocks: 256 });
    const { remedies = [] } = explainWithRemedies(document, machineOf(h200)) ?? {};
    expect(remedies[0]).toMatchObject({ cause: 'many-small-copies', isConfirmed: true });
    expect(remedies[0]?.steps).toEqual([
      'Copy 256 blocks with the strategy "auto" of a block copy instead of a call for each.',
    ]);
    expect(remedies[0]?.gainShare).toBeGreaterThan(0.8);
  });
});

describe('rows of a matrix', () => {
  const matrix = (strategy: string, blocks: number, blockBytes: number, more: object = {}) => {
    const document = experimentOfShape({ way: 'h2d', strategy: 'loop', bytes: blockBytes, blocks });
    const [, wait] = document.threads[0]?.operations ?? [];
    const copy = {
      op: 'blockCopy',
      src: 'from',
      dst: 'to',
      blocks,
      blockBytes,
      srcPitchBytes: 2 * blockBytes,
      stream: 's',
    };
    const operations = [{ ...copy, dstLayout: 'contiguous', strategy, ...more }, wait];
    return requireExperiment({ ...document, threads: [{ id: 'main', operations }] });
  };

  it.each([
    // Device time in us as recorded on an H200 (test/gpu/ops.test.ts).
    [65_536, 64, 100],
    [65_536, 256, 304.3],
    [4096, 4096, 304.4],
    [256, 65_536, 308.9],
  ])('%d rows of %d bytes take as long as on the device, %d µs', (blocks, blockBytes, us) => {
    const { lowNs, highNs } = intervalOf(matrix('pitched', blocks, blockBytes));
    const restNs = 10_000;
    expect(lowNs - restNs).toBeLessThan(us * 1000);
    expect(highNs).toBeGreaterThan(us * 1000);
  });

  it('go through pageable memory as a tensor, which a remedy avoids', () => {
    const staged = matrix('tensor', 4096, 4096);
    const { buffers, threads } = lower(staged);
    expect(buffers.map(({ memory }) => memory)).toEqual(['pinned', 'device', 'pageable']);
    expect(threads[0]?.instructions.map(({ code }) => code).slice(0, 3)).toEqual([
      'packBlocks',
      'copy',
      'synchronizeStream',
    ]);
    const before = { op: 'kernel', kernel: { kind: 'spin', durationNs: 2e6 }, stream: 'legacy' };
    const [copy, wait] = staged.threads[0]?.operations ?? [];
    const both = requireExperiment({ ...staged, threads: [{ id: 'main', operations: [copy, before, wait] }] });
    const { remedies = [] } = explainWithRemedies(both, machineOf(h200)) ?? {};
    expect(remedies.flatMap(({ steps, tried }) => [...steps, ...tried.flatMap((one) => one.steps)])).toContain(
      'Copy the rows of "H2D 4096 blocks of 4.00 KiB, tensor" with the strategy "auto", without pageable memory in between.',
    );
  });

  it('are one line of code in PyTorch if it stages them, and one call of CUDA if they are pitched', () => {
    expect(codeOf(matrix('tensor', 64, 4096), 'pytorch').text).toContain(
      '.copy_(torch.as_strided(from_buffer, (64, 4 * KiB), (8 * KiB, 1), 0))',
    );
    expect(codeOf(matrix('pitched', 64, 4096), 'cuda').text).toContain(
      'CHECK(cudaMemcpy2DAsync(to, 4 * KiB, from, 8 * KiB, 4 * KiB, 64, cudaMemcpyHostToDevice, s));',
    );
  });

  it('are refused with their field if they overlap or no such call copies them', () => {
    expect(() => matrix('pitched', 8, 4096, { srcPitchBytes: 4095 })).toThrow('overlap at 4095 bytes');
    expect(() => matrix('pitched', 8, 4096, { dstLayout: 'scattered' })).toThrow('rows of one size at equal distances');
    expect(() => matrix('pitched', 8, 4096, { srcPitchBytes: 16_384 })).toThrow('the blocks need 118784 bytes');
  });
});
