/** A chart as a table, for screen readers and for files. */
import { csvLine } from '../../core/export/tables/rowTable.ts';
import { columnLabel, columnTitle, pointsOf, rowLabel, rowTitle } from './points.ts';
import { formatValue } from './quantities.ts';
import {
  type Cell,
  type ChartSpec,
  type ChosenQuantity,
  cellOrigin,
  isFailure,
  isReading,
  type Reading,
  type Row,
  type Unit,
} from './spec.ts';

export interface TableRow {
  readonly key: string;
  readonly cells: readonly string[];
  /** Sort key of each cell; null if the cell is empty. */
  readonly sortBy: readonly (string | number | null)[];
  /** Reason why there is no value. */
  readonly problem: string | null;
  readonly id: string | undefined;
  /** Subject of the row, for the button that opens it. */
  readonly name: string;
}

export interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

const spreadOf = (spec: ChartSpec): boolean =>
  spec.rows.some(({ cells }) => cells.some((cell) => isReading(cell) && (cell.count ?? 1) > 1));

const spreadFigures = ({ value, low = value, high = value, count = 1 }: Reading): [number, number, number] => [
  low,
  high,
  count,
];

/** Returns a line for each point: its place, its value with the unit, and its spread if any. */
export function chartTable(spec: ChartSpec): ChartTable {
  const title = rowTitle(spec);
  const withSpread = spreadOf(spec);
  const { unit } = spec.value;
  const spread = (cell: Cell): string[] => {
    if (!isReading(cell)) return ['', '', ''];
    const [low, high, count] = spreadFigures(cell);
    return [formatValue(unit, low), formatValue(unit, high), String(count)];
  };
  return {
    columns: [
      ...(title === null ? [] : [title]),
      columnTitle(spec),
      spec.value.name,
      ...(withSpread ? ['Least', 'Most', 'Iterations'] : []),
      'Origin',
    ],
    rows: pointsOf(spec).map(({ row, column, cell }) => {
      const [of, by] = [rowLabel(spec, row), columnLabel(spec, column)];
      return {
        key: `${row}:${column}`,
        cells: [
          ...(title === null ? [] : [of]),
          by,
          isReading(cell) ? formatValue(unit, cell.value) : 'failed',
          ...(withSpread ? spread(cell) : []),
          cellOrigin(spec, spec.rows[row] ?? noRow, column),
        ],
        sortBy: [
          ...(title === null ? [] : [spec.kind === 'heat' ? (spec.y.values[row] ?? of) : of]),
          spec.kind === 'bars' ? by : (spec.x.values[column] ?? by),
          isReading(cell) ? cell.value : null,
          ...(withSpread ? (isReading(cell) ? spreadFigures(cell) : [null, null, null]) : []),
          cellOrigin(spec, spec.rows[row] ?? noRow, column),
        ],
        problem: isFailure(cell) ? cell.problem : null,
        id: cell.id,
        name: title === null ? by : `${of}, ${by}`,
      };
    }),
  };
}

const noRow: Row = { name: '', cells: [] };

const unitNames: Readonly<Record<Unit, string>> = {
  ns: 'ns',
  B: 'bytes',
  'B/s': 'bytes/s',
  share: '0 to 1',
  count: '',
};
const heading = (name: string, unit: Unit): string => (unitNames[unit] === '' ? name : `${name} (${unitNames[unit]})`);

/** Returns every point in base units, which lose no digit, with its origin, device and date. Limits are rows too. */
export function chartCsv(spec: ChartSpec): string {
  const { provenance, value } = spec;
  const header = [
    spec.kind === 'heat' ? heading(spec.y.name, spec.y.unit) : 'Series',
    spec.kind === 'bars' ? spec.by : heading(spec.x.name, spec.x.unit),
    heading(value.name, value.unit),
    'Least',
    'Most',
    'Iterations',
    'Failed because',
    'Origin',
    'Device',
    'Date',
  ];
  const lines = spec.rows.flatMap((row, index) =>
    row.cells.flatMap((cell, column) => {
      if (cell === null) return [];
      const of = spec.kind === 'heat' ? named(spec.y, index) : row.name;
      const by = spec.kind === 'bars' ? columnLabel(spec, column) : named(spec.x, column);
      const figures = isReading(cell)
        ? [cell.value, cell.low ?? cell.value, cell.high ?? cell.value, cell.count ?? 1, '']
        : ['', '', '', '', cell.problem];
      const origin = row.isLimit === true ? 'limit' : cellOrigin(spec, row, column);
      const device = cell.device ?? provenance.device;
      return [[of, by, ...figures, origin, device, provenance.date]];
    }),
  );
  return [header, ...lines].map(csvLine).join('');
}

const named = ({ names, values }: ChosenQuantity, at: number): string | number =>
  names?.[values[at] ?? -1] ?? values[at] ?? '';
