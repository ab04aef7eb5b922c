import { describe, expect, it } from 'vitest';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const MB = 2 ** 20;
const kernel = (stream: string, label = 'kernel') => ({
  op: 'kernel',
  label,
  kernel: { kind: 'spin', durationNs: 300_000 },
  stream,
});
const peer = (more: object = {}) => ({
  op: 'copy',
  label: 'peer',
  src: 'here',
  dst: 'there',
  mode: 'blocking-memcpy',
  ...more,
});
const upload = (stream: string) => ({ op: 'copy', label: 'upload', src: 'pinned', dst: 'other', stream });

function explained(...operations: object[]) {
  const experiment = experimentOf(
    {
      devices: [{ id: 'gpu' }, { id: 'far', index: 1 }],
      buffers: [
        { id: 'here', memory: 'device', bytes: 64 * MB },
        { id: 'other', memory: 'device', bytes: 16 * MB },
        { id: 'there', memory: 'device', device: 'far', bytes: 64 * MB },
        { id: 'pinned', memory: 'pinned', bytes: 16 * MB },
      ],
      streams: [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' }],
      environment: { peerAccess: true },
    },
    operations as Parameters<typeof experimentOf>[1],
  );
  const { before, remedies } = explainWithRemedies(experiment, h200Machine) ?? {
    before: { verdicts: [] },
    remedies: [],
  };
  return { verdicts: before.verdicts, remedies };
}

describe('a cudaMemcpy between two devices', () => {
  it('a cudaMemcpy between two devices is reported as running alone, whichever of the two comes first', () => {
    for (const operations of [
      [kernel('a'), peer()],
      [peer(), kernel('a')],
    ]) {
      const { verdicts, remedies } = explained(...operations);
      expect(verdicts).toMatchObject([{ cause: 'peer-copy-alone', rule: 'peer-copy', blockedBy: null }]);
      expect(verdicts[0]?.explanation).toMatch(
        /^"peer" is a cudaMemcpy between two devices, in the legacy default stream\./,
      );
      expect(remedies).toMatchObject([{ isConfirmed: true, steps: ['Make "peer" asynchronous.'] }]);
    }
  });

  it('a cudaMemcpy between two devices is named before the legacy default stream, which alone would tie a blocking stream', () => {
    const { verdicts, remedies } = explained(kernel('blocking'), peer());
    expect(verdicts).toMatchObject([{ cause: 'peer-copy-alone', also: ['legacy-default-stream'] }]);
    expect(remedies).toMatchObject([{ isConfirmed: true, causes: ['peer-copy-alone', 'legacy-default-stream'] }]);
  });

  it('is named where it stands between two others', () => {
    const { verdicts } = explained(kernel('a'), peer(), upload('b'), { op: 'work', durationNs: 1 });
    const found = verdicts.find(({ label }) => label === 'upload');
    expect(found).toMatchObject({ cause: 'peer-copy-alone', blockedBy: 1 });
  });

  it('is no such copy where it is asynchronous', () => {
    const { verdicts } = explained(kernel('a'), peer({ mode: 'async', stream: 'b' }));
    expect(verdicts).toMatchObject([{ cause: 'overlapped' }]);
  });
});
