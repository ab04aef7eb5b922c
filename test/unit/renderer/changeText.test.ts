import { expect, it } from 'vitest';
import { changeText } from '../../../renderer/timeline/lanes/FormerMark.tsx';

it.each([
  [1_320_000, 6_160_000, '1.32 to 6.16 ms, +4.84'],
  [6_160_000, 1_320_000, '6.16 to 1.32 ms, −4.84'],
  [940_000, 1_200_000, '940 µs to 1.2 ms, +260 µs'],
  [6_160_000, 6_200_000, '6.16 to 6.2 ms, +40.0 µs'],
])('a makespan of %d ns that becomes %d: %s', (before, after, text) => {
  expect(changeText(before, after)).toBe(text);
});
