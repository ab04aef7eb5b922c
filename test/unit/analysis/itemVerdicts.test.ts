import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Operation } from '../../../core/experiment/operations.ts';
import { bufferBytes } from '../../../core/experiment/resources.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { readLater } from '../../../core/explain/remedies/values.ts';
import { h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const kernel = (stream: string) => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 300_000 }, stream });
const item = (stream: string) => ({ op: 'item', buffer: 'device', stream });
const copy = { op: 'copy', src: 'pinned', dst: 'other', stream: 'a' };

function explained(...operations: object[]) {
  const buffers = [
    { id: 'device', memory: 'device', bytes: 4096 } as const,
    { id: 'pinned', memory: 'pinned', bytes: 2 ** 24 } as const,
    { id: 'other', memory: 'device', bytes: 2 ** 24 } as const,
  ];
  const streams = [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' as const }];
  const experiment = experimentOf(
    { buffers, streams, events: [{ id: 'done' }] },
    operations as Parameters<typeof experimentOf>[1],
  );
  const explanation = explainWithRemedies(experiment, h200Machine);
  return { verdicts: explanation?.before.verdicts ?? [], remedies: explanation?.remedies ?? [] };
}

const causesOf = (...operations: object[]): string[][] =>
  explained(...operations).verdicts.map(({ cause, also }) => [cause, ...also]);

describe('the copy of item()', () => {
  it('waits for what its stream waits for', () => {
    expect(causesOf(kernel('blocking'), item('legacy'))).toEqual([['legacy-default-stream']]);
    expect(
      causesOf(
        kernel('a'),
        { op: 'recordEvent', event: 'done', stream: 'a' },
        { op: 'waitEvent', event: 'done', stream: 'b' },
        item('b'),
      ),
    ).toEqual([['event-dependency']]);
  });

  it('overlaps a kernel that nothing orders it after', () => {
    expect(causesOf(kernel('a'), item('b'))).toEqual([['overlapped']]);
  });

  it('has no memory to pin: what helps is to issue the kernel before, or to read the value later', () => {
    const { verdicts, remedies } = explained(copy, { ...item('a'), label: 'loss' }, { ...kernel('b'), label: 'next' });
    const verdict = verdicts.find(({ label }) => label === 'loss');
    expect(verdict).toMatchObject({ cause: 'pageable-destination', title: 'Host blocked to read one value' });
    expect(verdict?.explanation).toMatch(
      /^cudaMemcpyAsync blocked the host for .* until 4 B had come back from the device/,
    );
    expect(verdict?.remedy).toMatch(/^Issue the kernel "next" first\. Read the value later: /);
    const remedy = remedies.find(({ op }) => op === verdict?.op);
    expect(remedy?.isConfirmed).toBe(true);
    expect(remedy?.steps[0]).toBe('Issue "next" before "loss".');
    expect(explained(kernel('a'), item('a')).verdicts[0]).toMatchObject({ cause: 'waits-for-earlier-work' });
    expect(explained(kernel('a'), item('a')).verdicts[0]?.remedy).toMatch(/^Read the value later: /);
  });

  it('costs what could be earlier without its wait: nothing at the end of a run', () => {
    const pipeline = [
      copy,
      { op: 'recordEvent', event: 'done', stream: 'a' },
      { op: 'waitEvent', event: 'done', stream: 'b' },
      kernel('b'),
      { ...item('b'), label: 'loss' },
    ];
    const lossOf = (...operations: object[]) => explained(...operations).verdicts.find(({ label }) => label === 'loss');
    expect(lossOf(...pipeline)).toMatchObject({ cause: 'waits-for-earlier-work' });
    expect(lossOf(...pipeline)?.costNs).toBeLessThan(20_000);
    expect(lossOf(...pipeline, { op: 'work', durationNs: 1e6 }, kernel('a'))?.costNs).toBeGreaterThan(200_000);
  });

  it('synchronises its stream, which would block the host in any other stream too', () => {
    expect(causesOf(copy, item('a'), kernel('a'))).toContainEqual(['issued-too-late', 'same-stream']);
  });
});

describe('a value that is read later', () => {
  const kernel = (id: string, more: object = {}) => ({
    ...{ op: 'kernel', kernel: { kind: 'spin', durationNs: 4000 }, stream: 's' },
    ...{ reads: ['data'], writes: [id], ...more },
  });
  const item = (buffer: string) => ({ op: 'item', buffer, stream: 's' });
  const loopOf = (...operations: object[]) => ({ op: 'repeat', count: 20, operations });
  const of = (...operations: object[]) => {
    const buffers = ['data', 'a', 'b', 'c'].map((id) => ({ id, memory: 'device', bytes: 8 }));
    const experiment = experimentOf({ buffers, streams: [{ id: 's' }] }, operations);
    const change = readLater(experiment);
    return change === null ? null : applyChange(experiment, change);
  };
  const shown = (list: readonly Operation[] = []): unknown[] =>
    list.map((one) => ('operations' in one ? [one.op, ...shown(one.operations)] : one.op));

  it('comes to the host with all others in one copy, if kernels can put them one behind another on the device', () => {
    const after = of(loopOf(kernel('a'), item('a')));
    expect(shown(after?.threads[0]?.operations)).toEqual([['repeat', 'kernel'], 'copy', 'synchronizeStream', 'read']);
    expect(after?.buffers.filter(({ id }) => id.includes('values')).map(bufferBytes)).toEqual([80, 80]);
  });

  it('has a place of its own, if a kernel needs it too', () => {
    const after = of(loopOf(kernel('a', { reads: ['a'] }), item('a')));
    expect(shown(after?.threads[0]?.operations)).toEqual([['repeat', 'kernel', 'copy'], 'synchronizeStream', 'read']);
    expect(JSON.stringify(after?.threads)).toContain('"dstStepBytes":4');
  });

  it('is read behind the last item of its list', () => {
    const after = of(...['a', 'b', 'c'].flatMap((id) => [kernel(id), item(id)]), kernel('a'));
    const copies = after?.threads[0]?.operations.flatMap((one) => (one.op === 'copy' ? [one.dstOffset] : []));
    expect(copies).toEqual([0, 4, 8]);
    expect(shown(after?.threads[0]?.operations).slice(-4)).toEqual(['copy', 'synchronizeStream', 'read', 'kernel']);
    expect(of(kernel('a'), item('a'))).toBeNull();
  });
});
