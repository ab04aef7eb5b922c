import { expect, it } from 'vitest';
import { spread } from '../../../core/analysis/statistics.ts';

it('gives median, least, greatest and count', () => {
  expect(spread([5, 1, 9])).toEqual({ median: 5, min: 1, max: 9, count: 3 });
  expect(spread([10, 2, 4, 100])).toEqual({ median: 7, min: 2, max: 100, count: 4 });
  expect(spread([3])).toEqual({ median: 3, min: 3, max: 3, count: 1 });
  expect(spread([])).toBeNull();
});
