/** Texts that were typed but not applied: kept by field, and found again with their document. */
import { expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import {
  forgetRecovered,
  recoveredText,
  recoverTyped,
  selectionOfField,
  setTyped,
  typedTexts,
} from '../../../renderer/store/typed.ts';
import { example } from '../host/support/runs.ts';

const nested = requireExperiment({
  ...example(),
  threads: [
    {
      ...example().threads[0],
      operations: [{ op: 'repeat', count: 2, operations: [{ op: 'work', durationNs: 1000 }] }],
    },
  ],
});

it.each([
  ['threads[0].operations[0].count', { kind: 'op', id: 'repeat1' }],
  ['threads[0].operations[0].operations[0].durationNs', { kind: 'op', id: 'work1' }],
  ['threads[0].id', { kind: 'declaration', list: 'threads', id: 'main' }],
  ['buffers[1].bytes', { kind: 'declaration', list: 'buffers', id: nested.buffers[1]?.id }],
  ['buffers[99].bytes', { kind: 'experiment' }],
  ['environment.iterations', { kind: 'experiment' }],
  ['description', { kind: 'experiment' }],
])('the field %s is on screen with %o', (field, selection) => {
  expect(selectionOfField(nested, field)).toEqual(selection);
});

it('a typed text is kept until the document has it', () => {
  expect(setTyped('a', 'name', 'Half')).toBe(true);
  expect(setTyped('a', 'name', 'Half')).toBe(false);
  setTyped('a', 'description', '');
  setTyped('b', 'name', 'Other');
  expect(typedTexts('a')).toEqual({ name: 'Half', description: '' });
  expect(setTyped('a', 'name', null)).toBe(true);
  expect(setTyped('a', 'name', null)).toBe(false);
  expect(typedTexts('a')).toEqual({ description: '' });
});

it('a restored text waits for its field, and for no other document’s; a change of the document ends that', () => {
  recoverTyped('c', { name: 'Half', description: 'Long' });
  expect([recoveredText('c', 'name'), recoveredText('d', 'name'), recoveredText(null, 'name')]).toEqual([
    'Half',
    null,
    null,
  ]);
  // Visible again.
  expect(setTyped('c', 'name', 'Half')).toBe(false);
  forgetRecovered('c');
  expect(typedTexts('c')).toEqual({ name: 'Half' });
});
