import { Duration, Int32, TimeUnit } from 'apache-arrow';
import { expect, it } from 'vitest';
import { typeName } from '../../../core/trace/arrow/problems.ts';

it('names a type, and of one whose unit no Arrow has its name alone', () => {
  expect(typeName(new Int32())).toBe('Int32');
  expect(typeName(new Duration(TimeUnit.SECOND))).toBe('Duration<SECOND>');
  expect(typeName(new Duration(99 as TimeUnit))).toBe('Duration');
});
