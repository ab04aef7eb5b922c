/** No copy moves less than its source without a message. */
import { describe, expect, it } from 'vitest';
import { declareOtherEnd, makeRoom, setCopySize } from '../../../core/experiment/edit/declarations.ts';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import { setCopyEnd } from '../../../core/experiment/edit/operations.ts';
import { atEndOf } from '../../../core/experiment/edit/paths.ts';
import { MiB } from '../../../core/units.ts';
import { scoreLayout } from '../../../renderer/score/scoreLayout.ts';
import { experimentOf } from '../support/experiments.ts';

type Buffers = readonly { readonly id: string; readonly memory: string; readonly [field: string]: unknown }[];

const document = (buffers: Buffers, operations: readonly object[] = []) =>
  experimentOf({ buffers, streams: [{ id: 'side' }] }, operations);

const source = { id: 'source', memory: 'pinned', bytes: 64 * MiB };

describe('the other end of a new copy', () => {
  const copied = (buffers: Buffers) =>
    addOperation(document(buffers), 'copy', atEndOf(document(buffers), 0), { row: 'host' }).experiment;

  it('is made as large as the source', () => {
    expect(copied([source]).buffers[1]).toMatchObject({ id: 'target', memory: 'device', bytes: 64 * MiB });
  });

  it('is a buffer that has room for all of it, rather the one of its size', () => {
    const large = { id: 'large', memory: 'device', bytes: 128 * MiB };
    const equal = { id: 'equal', memory: 'device', bytes: 64 * MiB };
    const small = { id: 'small', memory: 'device', bytes: MiB };
    const target = (buffers: Buffers) => copied(buffers).threads[0]?.operations[0];
    expect(target([source, large, equal])).toMatchObject({ dst: 'equal' });
    expect(target([source, small, large])).toMatchObject({ dst: 'large' });
    expect(target([source, small])).toMatchObject({ dst: 'target' });
  });

  it('chosen as new in its fields is as large, too', () => {
    const draft = structuredClone(document([source]));
    expect(declareOtherEnd(draft, 'dst', 'source')).toBe('target');
    expect(draft.buffers[1]).toMatchObject({ memory: 'device', bytes: 64 * MiB });
  });
});

const ends = [source, { id: 'target', memory: 'device', dtype: 'float32', shape: [1024] }];
const roomy = (fields: object) => {
  const cut = document(ends, [{ op: 'copy', src: 'source', dst: 'target', stream: 'side', ...fields }]);
  const copy = cut.threads[0]?.operations[0];
  if (copy?.op !== 'copy') throw new Error('there is no copy');
  return makeRoom(cut, copy).experiment;
};

it('a target without room for a whole copy is made as large as what is left of the source, behind its own offset', () => {
  expect(roomy({}).buffers[1]).toEqual({ ...roomy({}).buffers[1], bytes: 64 * MiB });
  expect(roomy({}).buffers[1]).not.toHaveProperty('shape');
  expect(roomy({ srcOffset: 60 * MiB, dstOffset: 1024 }).buffers[1]?.bytes).toBe(4 * MiB + 1024);
});

describe('the size of a copy', () => {
  const before = document(
    [source, { id: 'target', memory: 'device', dtype: 'float32', shape: [1024] }],
    [{ op: 'copy', src: 'source', dst: 'target', dstOffset: 1024, bytes: 1024, stream: 'side' }],
  );
  const set = (bytes?: number) => setCopySize(before, ['threads', 0, 'operations', 0], bytes).experiment;

  it('makes an end larger that has no room for it, and leaves the other', () => {
    expect(set(MiB)).toMatchObject({
      buffers: [source, { bytes: MiB + 1024 }],
      threads: [{ operations: [{ bytes: MiB }] }],
    });
    expect(set(128 * MiB).buffers.map(({ bytes }) => bytes)).toEqual([128 * MiB, 128 * MiB + 1024]);
  });

  it('changes no end that has room, or that decides the size', () => {
    for (const same of [set(512), set()]) expect(same.buffers).toEqual(before.buffers);
    expect(set().threads[0]?.operations[0]).not.toHaveProperty('bytes');
  });
});

const detail = (fields: object, targetBytes = 20 * MiB) =>
  scoreLayout(
    document(
      [source, { id: 'target', memory: 'device', bytes: targetBytes }],
      [{ op: 'copy', src: 'source', dst: 'target', stream: 'side', ...fields }],
    ),
  ).blocks[0]?.detail;

it('the block of a copy says what it leaves if its target has no room', () => {
  expect(detail({})).toBe('only 20.0 of 64.0 MiB · pinned → device');
});

describe('an end of a copy', () => {
  const target = { id: 'target', memory: 'device', bytes: 64 * MiB };
  const copy = { op: 'copy', stream: 'side', src: 'source', dst: 'target', srcOffset: 4, bytes: 8 };
  const changed = (end: 'src' | 'dst', id: string) =>
    setCopyEnd(document([source, target, { ...source, id: 'other' }], [copy]), ['threads', 0, 'operations', 0], end, id)
      .experiment.threads[0]?.operations[0];

  it('swaps with the other end, with its offset, if that end is chosen', () => {
    const swapped = { src: 'target', dst: 'source', srcOffset: 0, dstOffset: 4, bytes: 8 };
    expect(changed('src', 'target')).toMatchObject(swapped);
    expect(changed('dst', 'source')).toMatchObject(swapped);
  });

  it('changes alone if another buffer is chosen', () => {
    expect(changed('src', 'other')).toMatchObject({ src: 'other', dst: 'target', srcOffset: 4 });
  });
});
