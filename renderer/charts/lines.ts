/** Lines over numbers: symbols are medians, whiskers spreads, crosses at the foot failures, dashes limits. */
import { footOf, legend, legendRoom, numberAxis, type Room, valueAxis, valueUnit } from './axes.ts';
import { whiskers } from './bars.ts';
import { type Look, type RowLook, rowLooks } from './look.ts';
import { hasSpread } from './points.ts';
import { chosenText, spansDecades } from './quantities.ts';
import { isFailure, isReading, type LineSpec, legendName, type Row } from './spec.ts';

export function lineParts(spec: LineSpec, look: Look, { top, width }: Room): object {
  const { values, scale } = spec.x;
  const names = spec.rows.map((row) => legendName(spec, row));
  const looks = rowLooks(spec.rows, look);
  const failures = failedPoints(spec);
  const hidden = hiddenBy(spec.rows);
  return {
    grid: {
      left: 66,
      right: 28,
      top: top + 14,
      bottom: 76 + legendRoom([...names, ...(failures.length > 0 ? [failedName] : [])], { width }),
    },
    legend: legend(
      [
        ...spec.rows.map(({ isLimit }, index) => ({
          name: names[index] ?? '',
          ...(isLimit === true ? { icon: dashes } : {}),
        })),
        ...(failures.length > 0 ? [{ name: failedName }] : []),
      ],
      look,
    ),
    xAxis: numberAxis(
      {
        name: spec.x.name,
        ticks: [...values].sort((a, b) => a - b),
        label: (value) => chosenText(spec.x, value),
        isLog: scale === 'log' || spansDecades(values),
      },
      look,
      34,
    ),
    yAxis: valueAxis(spec, look, 50),
    series: [
      ...looks.map((own, index) => line(spec, index, names[index] ?? '', { ...own, over: hidden[index] ?? 0 }, look)),
      ...looks.flatMap((own, index) => (spec.rows[index]?.isLimit === true ? [] : [spread(spec, index, own, look)])),
      ...(failures.length > 0 ? [crosses(failures, look)] : []),
    ],
  };
}

/** Returns for each row the number of later rows that have nearly its values, and so are drawn over it. */
const hiddenBy = (rows: readonly Row[]): number[] =>
  rows.map((row, at) => rows.slice(at + 1).filter((other) => coincide(row, other)).length);

/** Returns true if at least half of the points that both have are at one place. */
function coincide(a: Row, b: Row): boolean {
  const near = a.cells.flatMap((cell, column) => {
    const other = b.cells[column];
    if (!isReading(cell) || !isReading(other)) return [];
    return Math.abs(cell.value - other.value) <= nearShare * Math.max(cell.value, other.value);
  });
  return near.length > 0 && 2 * near.filter(Boolean).length >= near.length;
}

/** Values that differ by less are at one place in a chart. */
const nearShare = 0.02;

type LineLook = RowLook & {
  /** Number of rows that are drawn over it: it is wider by as many rims. */
  readonly over: number;
};

function line(
  spec: LineSpec,
  index: number,
  name: string,
  { colour, symbol, dash, over }: LineLook,
  look: Look,
): object {
  const row = spec.rows[index];
  const { factor } = valueUnit(spec);
  if (row === undefined) return {};
  const isLimit = row.isLimit === true;
  const isBeside = row.isBeside === true;
  const data = spec.x.values.flatMap((x, column) => {
    const cell = row.cells[column];
    // A line skips missing points and breaks at failures.
    if (cell == null) return [];
    if (isFailure(cell)) return [{ value: [x, null] }];
    return [{ value: [x, cell.value / factor], ...(isLimit ? {} : { row: index, column }) }];
  });
  return {
    type: 'line',
    name,
    data: data.sort((a, b) => Number(a.value[0]) - Number(b.value[0])),
    color: isLimit ? look.textDim : colour,
    symbol: isLimit ? 'none' : isBeside ? 'circle' : symbol,
    symbolSize: (isBeside ? 5 : 9) + 5 * over,
    // Symbols are hollow in both themes; the chart library fills its own hollow symbols with white.
    ...(isBeside ? { itemStyle: { color: look.surface, borderColor: colour, borderWidth: 1.5 } } : {}),
    showAllSymbol: true,
    silent: isLimit,
    lineStyle: {
      color: isLimit ? look.textDim : colour,
      width: (isLimit || isBeside ? 1.5 : 2) + 4 * over,
      opacity: over > 0 ? 0.5 : 1,
      type: isLimit || isBeside ? 'dashed' : dash,
    },
    emphasis: { scale: 1.5 },
    z: isLimit ? 1 : 3,
  };
}

function spread(spec: LineSpec, index: number, { colour }: RowLook, look: Look): object {
  const row = spec.rows[index];
  const { factor } = valueUnit(spec);
  const data = spec.x.values.flatMap((x, column) => {
    const cell = row?.cells[column];
    return isReading(cell) && hasSpread(cell) ? [[x, (cell.low ?? 0) / factor, (cell.high ?? 0) / factor]] : [];
  });
  return whiskers(data, colour, look.surface, 'vertical');
}

/** Legend symbol of a limit, which has no points. */
const dashes = 'path://M0,4 H7 V6 H0 Z M10,4 H17 V6 H10 Z M20,4 H27 V6 H20 Z';
const failedName = 'failed';

function failedPoints(spec: LineSpec): { value: [number, number]; row: number; column: number }[] {
  return spec.rows.flatMap(({ cells }, row) =>
    cells.flatMap((cell, column) =>
      isFailure(cell) ? [{ value: [spec.x.values[column] ?? 0, footOf(spec)] as [number, number], row, column }] : [],
    ),
  );
}

const cross = 'path://M0,2 L2,0 L5,3 L8,0 L10,2 L7,5 L10,8 L8,10 L5,7 L2,10 L0,8 L3,5 Z';

const crosses = (data: readonly object[], look: Look): object => ({
  type: 'scatter',
  name: failedName,
  data,
  symbol: cross,
  symbolSize: 11,
  color: look.bad,
  clip: false,
  z: 4,
});
