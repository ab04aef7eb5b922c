import { expect, it } from 'vitest';
import { lowerMedian, median, spread } from '../../../core/statistics.ts';

it('gives median, least, greatest and count', () => {
  expect(spread([5, 1, 9])).toEqual({ median: 5, min: 1, max: 9, count: 3 });
  expect(spread([10, 2, 4, 100])).toEqual({ median: 7, min: 2, max: 100, count: 4 });
  expect(spread([3])).toEqual({ median: 3, min: 3, max: 3, count: 1 });
  expect(spread([])).toBeNull();
});

it('the median of an even number of values is the mean of the middle two', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([])).toBeNaN();
});

it('has the lower one of them where a value is to be chosen', () => {
  expect(lowerMedian([4, 1, 3, 2])).toBe(2);
  expect(lowerMedian([3, 1, 2])).toBe(2);
  expect(lowerMedian([])).toBeNaN();
});
