/** Verdicts on multi-tensor copies: one call that blocks the host until the tensors have arrived. */
import { describe, expect, it } from 'vitest';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const MB = 2 ** 20;
const explained = (strategy: 'packed' | 'pipelined' | 'threaded-pinning', direction: 'h2d' | 'd2h') => {
  const experiment = experimentOf({ streams: [{ id: 'c' }, { id: 'k' }] }, [
    {
      op: 'multiCopy',
      label: 'tensors',
      direction,
      payload: { tensors: 13, bytes: [2 * MB, 7, 99_999] },
      strategy,
      stream: 'c',
    },
    { op: 'kernel', label: 'after', kernel: { kind: 'spin', durationNs: 300_000 }, stream: 'k' },
    { op: 'synchronizeDevice' },
  ]);
  return explainWithRemedies(experiment, h200Machine);
};

describe.each(['packed', 'pipelined', 'threaded-pinning'] as const)(
  'a kernel behind a multi-tensor copy, %s',
  (way) => {
    it.each(['h2d', 'd2h'] as const)(
      '%s: was issued late, since the copy blocked the host; its copies are not too small',
      (direction) => {
        const [verdict] = explained(way, direction)?.before.verdicts ?? [];
        expect(verdict).toMatchObject({ cause: 'issued-too-late', hostCall: 'tensors', rule: 'issue-before-run' });
        expect(verdict?.title).toBe('Issued too late: host in tensors');
      },
    );

    it('overlaps where it is issued before', () => {
      const [remedy] = explained(way, 'd2h')?.remedies ?? [];
      expect(remedy).toMatchObject({ isConfirmed: true, steps: ['Issue "after" before "tensors".'] });
      expect(remedy?.after?.cause).toBe('overlapped');
    });
  },
);
