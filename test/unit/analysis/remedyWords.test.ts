/** Remedies that fit what is there: inside of graphs, beside host work whose result is needed, within the device. */
import { describe, expect, it } from 'vitest';
import type { ExperimentInput } from '../../../core/experiment/experiment.ts';
import { explainWithRemedies } from '../../../core/remedies/remedies.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const MB = 2 ** 20;
const buffers: NonNullable<ExperimentInput['buffers']> = [
  { id: 'source', memory: 'pinned', bytes: 8 * MB },
  { id: 'tensor', memory: 'pageable', bytes: 8 * MB },
  { id: 'target', memory: 'device', bytes: 8 * MB },
  { id: 'product', memory: 'device', bytes: 8 * MB },
  { id: 'large', memory: 'device', bytes: 512 * MB },
  { id: 'copy', memory: 'device', bytes: 512 * MB },
];
const up = { op: 'copy', label: 'up', src: 'source', dst: 'target', stream: 'a' };
const down = { op: 'copy', label: 'down', src: 'target', dst: 'source', stream: 'a' };
const kernel = (label: string, stream: string, fields: object = {}) => ({
  op: 'kernel',
  label,
  kernel: { kind: 'spin', durationNs: 200_000 },
  stream,
  ...fields,
});
const capture = (...operations: object[]) => ({ op: 'graphCapture', graph: 'step', stream: 'a', operations });
const launch = { op: 'graphLaunch', graph: 'step', stream: 'a' };
const synchronize = { op: 'synchronizeDevice' };

function explained(...operations: object[]) {
  const streams = [{ id: 'a' }, { id: 'b' }];
  const explanation = explainWithRemedies(
    experimentOf({ buffers, streams }, operations as Parameters<typeof experimentOf>[1]),
    h200Machine,
  );
  return { verdicts: explanation?.before.verdicts ?? [], remedies: explanation?.remedies ?? [] };
}

describe('a copy in one stream with a kernel of its graph', () => {
  it('is captured in a branch of its own', () => {
    const { verdicts, remedies } = explained(capture(up, kernel('compute', 'a')), launch, launch, launch, synchronize);
    expect(verdicts[0]).toMatchObject({
      cause: 'same-stream',
      remedy: expect.stringMatching(/^Give the copy a branch of its own in the graph/),
    });
    expect(remedies[0]).toMatchObject({
      borneOut: true,
      steps: ['Capture "up" in a branch of its own, in stream "copies".'],
      after: { cause: 'overlapped' },
    });
    expect(remedies[0]?.gainShare).toBeGreaterThan(0.3);
  });

  it('is also where it comes second', () => {
    const { remedies } = explained(capture(kernel('compute', 'a'), down), launch, synchronize);
    expect(remedies[0]).toMatchObject({ borneOut: true, after: { cause: 'overlapped' } });
  });

  it('is told of the kernel of its own launch, where later ones are in the same stream', () => {
    const { verdicts } = explained(
      capture(up, kernel('use', 'a', { kernel: { kind: 'stream' }, reads: ['target'], writes: ['product'] })),
      launch,
      launch,
      synchronize,
    );
    expect(verdicts[0]?.cause).toBe('same-stream');
    expect(verdicts[0]?.explanation).toMatch(/started \d\.\d+ µs after it/);
    expect(verdicts[0]?.remedy).toContain('a branch of the graph');
  });

  it('is launched in another stream where the kernel is not of the graph', () => {
    const { verdicts, remedies } = explained(capture(up), launch, kernel('beside', 'a'), synchronize);
    expect(verdicts[0]).toMatchObject({
      cause: 'same-stream',
      remedy: 'Launch the graph in a non-blocking stream of its own.',
    });
    expect(remedies[0]).toMatchObject({
      borneOut: true,
      steps: ['Launch "step" in a non-blocking stream of its own, "graphs".'],
      after: { cause: 'overlapped' },
    });
  });
});

describe('host work whose result a copy needs', () => {
  it('is not to come after the copy', () => {
    const { verdicts } = explained(kernel('before', 'b'), { op: 'pin', src: 'tensor', dst: 'source' }, up, synchronize);
    expect(verdicts[0]).toMatchObject({ cause: 'issued-too-late', hostCall: 'pin tensor' });
    expect(verdicts[0]?.remedy).toBe(
      'The copy needs the result of "pin tensor": make it ahead of time, or on another host thread while the kernel "before" runs.',
    );
  });
});

describe('a copy within the device', () => {
  it('had the device itself where the kernel came second', () => {
    const copy = { op: 'copy', label: 'within', src: 'large', dst: 'copy', stream: 'a' };
    const [first] = explained(copy, kernel('full', 'b'), synchronize).verdicts;
    expect(first?.cause).toBe('not-a-copy-engine-copy');
    expect(first?.explanation).toContain('and the kernel "full" had to wait for it');
  });
});

describe('a copy that needs what stands before it in its stream', () => {
  it('is no better off in another one: what is put back is no trial of a remedy', () => {
    const back = { op: 'copy', label: 'back', src: 'source', dst: 'target', stream: 'a' };
    const { verdicts, remedies } = explained(down, back, kernel('beside', 'b'), synchronize);
    const found = verdicts.find(({ label }) => label === 'back');
    expect(found).toMatchObject({ label: 'back', cause: 'queued-behind', blockedBy: 0 });
    expect(remedies.find(({ op }) => op === 1)).toMatchObject({ borneOut: null, tried: [] });
    expect(found?.remedy).toContain('share data');
  });
});

describe('a copy on a device without kernels', () => {
  it('is not told that the run has none', () => {
    const experiment = experimentOf(
      {
        devices: [
          { id: 'g0', index: 0 },
          { id: 'g1', index: 1 },
        ],
        buffers: [
          { id: 'source', memory: 'pinned', bytes: MB },
          { id: 'target', memory: 'device', device: 'g0', bytes: MB },
        ],
        streams: [
          { id: 'a', device: 'g0' },
          { id: 'b', device: 'g1' },
        ],
      },
      [up, kernel('other', 'b'), synchronize] as Parameters<typeof experimentOf>[1],
    );
    const [verdict] = explainWithRemedies(experiment, h200Machine)?.before.verdicts ?? [];
    expect(verdict).toMatchObject({ cause: 'nothing-to-overlap', title: 'No kernel on its device' });
  });
});

describe('a copy that waits for a signal behind the data that it needs', () => {
  it('is not told three times that a signal for it would hold the host as well', () => {
    const experiment = experimentOf(
      { buffers, streams: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], signals: [{ id: 'go' }] },
      [
        { op: 'copy', label: 'to pinned', src: 'tensor', dst: 'source', stream: 'c' },
        { op: 'signal', signal: 'go' },
      ],
      [kernel('beside', 'b'), { op: 'waitSignal', signal: 'go' }, up, synchronize] as Parameters<
        typeof experimentOf
      >[1],
    );
    const explanation = explainWithRemedies(experiment, h200Machine);
    expect(explanation?.before.verdicts.find(({ label }) => label === 'up')?.hostCall).toBe('wait for go');
    expect(explanation?.remedies.find(({ cause }) => cause === 'issued-too-late')).toMatchObject({
      borneOut: null,
      tried: [],
    });
  });
});
