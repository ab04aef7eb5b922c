/** Cells of a table that names from a trace stand in. */
import { expect, it } from 'vitest';
import { csvLine } from '../../../core/export/tables/csv.ts';

it.each(['=HYPERLINK("http://x")', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1'])('%j is no formula', (name) => {
  const cell = csvLine([name]);
  expect(cell.replace(/^"/, '').startsWith("'")).toBe(true);
});

it('a name ends neither its cell nor its row, and a number stays one', () => {
  expect(csvLine(['a","b\r\nc', -1])).toBe('"a"",""b\r\nc",-1\r\n');
});
