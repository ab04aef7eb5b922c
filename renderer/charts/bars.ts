/** Horizontal bars: long names fit next to them, and the value stands at their end. */
import { categoryAxis, legend, legendRoom, type Room, valueAxis, valueUnit } from './axes.ts';
import { type Look, rowLook } from './look.ts';
import { whiskers } from './marks.ts';
import { hasSpread } from './points.ts';
import { formatValue } from './quantities.ts';
import { type BarSpec, isFailure, isReading, legendName } from './spec.ts';

const nameWidth = 230;
const mostBarHeight = 30;
const gapShare = 0.3;

export function barParts(spec: BarSpec, look: Look, { width, height, top }: Room): object {
  const names = spec.rows.map((row) => legendName(spec, row));
  const left = Math.min(nameWidth, Math.round(width * 0.3)) + 16;
  const grid = { left, right: 92, top: top + 6, bottom: 72 + legendRoom(names, { width }) };
  const bar = barHeight(spec, height - grid.top - grid.bottom);
  return {
    grid,
    legend: legend(
      names.map((name) => ({ name })),
      look,
    ),
    xAxis: valueAxis(spec, look, 28),
    yAxis: {
      ...categoryAxis('', categoryNames(spec), look, 0),
      inverse: true,
      axisLabel: {
        color: look.text,
        fontFamily: look.font,
        fontSize: 12,
        lineHeight: 15,
        width: left - 24,
        overflow: 'break',
        interval: 0,
      },
    },
    series: [
      ...spec.rows.map((_, index) => bars(spec, index, names[index] ?? '', look, bar)),
      ...(spec.stacked === true ? [] : spec.rows.flatMap((_, index) => besideBars(spec, index, look, bar))),
    ],
  };
}

/** Adds the origin to the category names if origins differ. */
const categoryNames = ({ categories }: BarSpec): string[] =>
  categories.map(({ label, origin }) => (origin === undefined ? label : `${label}\n(${origin})`));

function barHeight({ rows, categories, stacked }: BarSpec, room: number): number {
  const beside = stacked === true ? 1 : rows.length;
  const each = (room / Math.max(1, categories.length)) * (1 - gapShare);
  return Math.max(3, Math.min(mostBarHeight, each / Math.max(1, beside)));
}

function bars(spec: BarSpec, index: number, name: string, look: Look, bar: number): object {
  const row = spec.rows[index] ?? { name, cells: [] };
  const { factor } = valueUnit(spec);
  const { colour, decal } = rowLook(row, index, look);
  const data = spec.categories.map((_, column) => {
    const cell = row.cells[column] ?? null;
    const place = cell === null ? {} : { row: index, column };
    if (isReading(cell)) return { value: cell.value / factor, ...place };
    return isFailure(cell) ? { value: 0, ...place } : { value: '-' };
  });
  return {
    type: 'bar',
    name,
    data,
    color: colour,
    barWidth: bar,
    barGap: '0%',
    itemStyle: { decal, borderColor: look.surface, borderWidth: 1 },
    ...(spec.stacked === true ? { stack: 'all' } : {}),
  };
}

/** Draws the spread at a bar's end, and the value after it. */
function besideBars(spec: BarSpec, index: number, look: Look, bar: number): object[] {
  const { factor } = valueUnit(spec);
  const shift = (index - (spec.rows.length - 1) / 2) * bar;
  const cells = spec.rows[index]?.cells ?? [];
  const spread = cells.flatMap((cell, column) =>
    isReading(cell) && hasSpread(cell) ? [[column, (cell.low ?? 0) / factor, (cell.high ?? 0) / factor, shift]] : [],
  );
  const ends = cells.flatMap((cell, column) => {
    if (cell === null) return [];
    const end = isReading(cell) ? Math.max(cell.value, cell.high ?? cell.value) / factor : 0;
    const text = isReading(cell) ? formatValue(spec.value.unit, cell.value) : '✕ failed';
    const label = { formatter: text, color: isReading(cell) ? look.text : look.bad };
    return [{ value: [end, column], row: index, column, label }];
  });
  return [whiskers(spread, look.text, look.surface, 'horizontal'), values(ends, look, shift)];
}

const values = (data: readonly object[], look: Look, shift: number): object => ({
  type: 'scatter',
  data,
  symbolSize: 1,
  itemStyle: { color: 'transparent' },
  clip: false,
  z: 6,
  label: { show: true, position: 'right', distance: 8, offset: [0, shift], fontFamily: look.font, fontSize: 12 },
});
