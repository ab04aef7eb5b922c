/** All cells of a chart in reading order with their texts. Tooltip, keyboard, table and exports use the same texts. */
import { chosenText, formatValue } from './quantities.ts';
import { type Cell, type ChartSpec, cellOrigin, isFailure, isReading, originText, type Row } from './spec.ts';

export interface Point {
  readonly row: number;
  readonly column: number;
  readonly cell: Exclude<Cell, null>;
}

/** Returns the points row by row. Limits are left out, since they can't be opened and have one value. */
export function pointsOf(spec: ChartSpec): Point[] {
  return spec.rows.flatMap(({ cells, isLimit }, row) =>
    isLimit === true ? [] : cells.flatMap((cell, column) => (cell === null ? [] : [{ row, column, cell }])),
  );
}

/** Returns the name of a column: a category, or a number of the x axis. */
export function columnLabel(spec: ChartSpec, column: number): string {
  if (spec.kind === 'bars') return spec.categories[column]?.label ?? '';
  return chosenText(spec.x, spec.x.values[column] ?? 0);
}

export const columnTitle = (spec: ChartSpec): string => (spec.kind === 'bars' ? spec.by : spec.x.name);

export function rowLabel(spec: ChartSpec, row: number): string {
  if (spec.kind === 'heat') return chosenText(spec.y, spec.y.values[row] ?? 0);
  return spec.rows[row]?.name ?? '';
}

/** Returns the title of the row names, or null if the chart's title says it all. */
export function rowTitle(spec: ChartSpec): string | null {
  if (spec.kind === 'heat') return spec.y.name;
  return spec.rows.length > 1 ? 'Series' : null;
}

/** Returns a value such as '1.20 ms', with the spread if there are several iterations. */
export function readingText(spec: ChartSpec, cell: Cell): string {
  if (cell === null) return 'nothing';
  if (isFailure(cell)) return `failed: ${cell.problem}`;
  const { unit } = spec.value;
  const value = formatValue(unit, cell.value);
  return hasSpread(cell)
    ? `${value}, from ${formatValue(unit, cell.low ?? 0)} to ${formatValue(unit, cell.high ?? 0)} over ${cell.count} iterations`
    : value;
}

export const hasSpread = (cell: Cell): boolean => isReading(cell) && (cell.count ?? 1) > 1 && cell.low !== undefined;

/** Returns the lines of a tooltip; joined, they are a sentence for screen readers. */
export function pointLines(spec: ChartSpec, { row, column, cell }: Point): string[] {
  const series: Row | undefined = spec.rows[row];
  const title = rowTitle(spec);
  return [
    `${columnTitle(spec)} ${columnLabel(spec, column)}`,
    ...(title === null ? [] : [spec.kind === 'heat' ? `${title} ${rowLabel(spec, row)}` : rowLabel(spec, row)]),
    `${spec.value.name} ${readingText(spec, cell)}`,
    ...(series === undefined ? [] : [cellOrigin(spec, series, column)]),
  ];
}

/** Returns the lines of the crosshair: each series at a column, and its ratio to the first. */
export function columnLines(spec: ChartSpec, column: number): string[] {
  const read = spec.rows.flatMap((row) => {
    const cell = row.cells[column];
    return cell == null ? [] : [{ row, cell }];
  });
  const first = read.find(({ cell }) => isReading(cell));
  const ratio = (cell: Cell): string =>
    read.length < 2 || cell === first?.cell || !isReading(cell) || !isReading(first?.cell) || first.cell.value === 0
      ? ''
      : `, ×${(cell.value / first.cell.value).toPrecision(3)}`;
  return [
    `${columnTitle(spec)} ${columnLabel(spec, column)}: ${spec.value.name}, ${originText(spec.provenance)}`,
    ...read.map(({ row, cell }) => `${row.name}: ${readingText(spec, cell)}${ratio(cell)}`),
    ...(read.length < 2 || first === undefined ? [] : [`× is the ratio to ${first.row.name}.`]),
  ];
}

type Step = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';

export const isStep = (key: string): key is Step => /^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(key);

/** Returns the index of the point to which a key moves: along the row, or to the nearest column of another row. */
export function stepFrom(points: readonly Point[], at: number, key: Step): number {
  const here = points[at];
  if (key === 'Home' || here === undefined) return 0;
  if (key === 'End') return points.length - 1;
  if (key === 'ArrowLeft') return Math.max(0, at - 1);
  if (key === 'ArrowRight') return Math.min(points.length - 1, at + 1);
  const other = nextRow(points, here.row, key === 'ArrowUp' ? -1 : 1);
  if (other === null) return at;
  const distance = (index: number): number => Math.abs((points[index]?.column ?? 0) - here.column);
  const candidates = points.flatMap(({ row }, index) => (row === other ? [index] : []));
  return candidates.reduce((best, index) => (distance(index) < distance(best) ? index : best), candidates[0] ?? at);
}

function nextRow(points: readonly Point[], row: number, direction: 1 | -1): number | null {
  const rows = [...new Set(points.map((point) => point.row))].sort((a, b) => a - b);
  return rows[rows.indexOf(row) + direction] ?? null;
}
