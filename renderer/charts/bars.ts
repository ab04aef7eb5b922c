/** Horizontal bars: long names fit next to them, and the value stands at their end. */
import { categoryAxis, legend, legendRoom, type Room, valueAxis, valueUnit } from './axes.ts';
import { type Look, rowLook } from './look.ts';
import { hasSpread } from './points.ts';
import { formatValue } from './quantities.ts';
import { type BarSpec, isFailure, isReading, legendName } from './spec.ts';

interface Api {
  value(dimension: number): number;
  coord(data: readonly number[]): number[];
}

const cap = 4;

/** Draws lines with caps from low to high. Data: [place on the other axis, low, high, shift in pixels]. */
export const whiskers = (
  data: readonly (readonly number[])[],
  colour: string,
  ground: string,
  direction: 'vertical' | 'horizontal',
): object => ({
  type: 'custom',
  data: data.map((value) => [...value]),
  silent: true,
  tooltip: { show: false },
  z: 5,
  encode: direction === 'vertical' ? { x: 0, y: [1, 2] } : { y: 0, x: [1, 2] },
  renderItem: (_params: unknown, api: Api) => {
    const [at, low, high, shift] = [api.value(0), api.value(1), api.value(2), api.value(3) || 0];
    const vertical = direction === 'vertical';
    const [x1 = 0, y1 = 0] = api.coord(vertical ? [at, low] : [low, at]);
    const [x2 = 0, y2 = 0] = api.coord(vertical ? [at, high] : [high, at]);
    const path = vertical
      ? `M${x1 - cap},${y1} H${x1 + cap} M${x1},${y1} V${y2} M${x2 - cap},${y2} H${x2 + cap}`
      : `M${x1},${y1 + shift - cap} v${2 * cap} M${x1},${y1 + shift} H${x2} M${x2},${y2 + shift - cap} v${2 * cap}`;
    const stroke = (ink: string, lineWidth: number) => ({
      type: 'path',
      shape: { pathData: path },
      style: { stroke: ink, lineWidth, fill: 'none' },
    });
    // A border in the background colour makes it visible on a bar of any colour.
    return { type: 'group', children: [stroke(ground, 4), stroke(colour, 1.5)] };
  },
});

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
