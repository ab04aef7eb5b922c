import { describe, expect, it } from 'vitest';
import { placeColumns } from '../../../renderer/score/columns.ts';
import { scoreLayout } from '../../../renderer/score/scoreLayout.ts';
import { experiment } from './exampleRun.ts';

describe('columns of the score', () => {
  const layout = scoreLayout(experiment);
  const columns = placeColumns(layout);

  it('columns lie next to each other, as wide as their words need', () => {
    for (let column = 0; column < layout.columns; column += 1) {
      expect(columns.left(column + 1)).toBe(columns.left(column) + columns.width(column));
    }
    const [copy, record] = [columns.width(0), columns.width(1)];
    expect(copy).toBeGreaterThan(record);
  });

  it('are found again from any point within them', () => {
    for (let column = 0; column < layout.columns; column += 1) {
      expect(columns.at(columns.left(column))).toBe(column);
      expect(columns.at(columns.left(column + 1) - 1)).toBe(column);
    }
    // Empty columns follow the last one.
    expect(columns.at(columns.total)).toBe(layout.columns);
    expect(columns.at(columns.left(layout.columns + 2))).toBe(layout.columns + 2);
  });
});
