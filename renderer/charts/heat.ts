/** Heat maps: a field for each pair of two numbers, light to dark, with the value in it if there is room. */
import { color } from 'echarts/core';
import { categoryAxis, isLogScale, plain, type Room, valueTitle, valueUnit } from './axes.ts';
import type { Look } from './look.ts';
import { chosenText, formatValue } from './quantities.ts';
import { type HeatSpec, isFailure, isReading, originText } from './spec.ts';

const grid = { left: 86, right: 30, bottom: 96 };
/** Width of '12.3 ms' in pixels. */
const labelWidth = 52;
const labelHeight = 16;

export function heatParts(spec: HeatSpec, look: Look, { width, height, top }: Room): object {
  const { factor } = valueUnit(spec);
  const [least, most] = extentOf(spec);
  // The ramp knows only even steps, so that a log scale gives it the logarithms.
  const scaled = (value: number): number => (isLogScale(spec) ? Math.log10(value) : value);
  const cellWidth = (width - grid.left - grid.right) / Math.max(1, spec.x.values.length);
  const cellHeight = (height - top - 6 - grid.bottom) / Math.max(1, spec.y.values.length);
  return {
    grid: { ...grid, top: top + 6 },
    xAxis: categoryAxis(
      spec.x.name,
      spec.x.values.map((value) => chosenText(spec.x, value)),
      look,
      28,
    ),
    yAxis: categoryAxis(
      spec.y.name,
      spec.y.values.map((value) => chosenText(spec.y, value)),
      look,
      66,
    ),
    visualMap: {
      type: 'continuous',
      seriesIndex: 0,
      min: scaled(least),
      max: Math.max(scaled(most), scaled(least) + 1e-9),
      orient: 'horizontal',
      left: 'center',
      bottom: 6,
      itemWidth: 12,
      itemHeight: 190,
      calculable: false,
      hoverLink: false,
      inRange: { color: [...look.ramp] },
      text: [`${plain(most / factor)}  ${valueTitle(spec)}, ${originText(spec.provenance)}`, plain(least / factor)],
      textStyle: { color: look.text, fontFamily: look.font, fontSize: 12 },
    },
    series: [
      fields(spec, look, [least, most].map(scaled), scaled, cellWidth >= labelWidth && cellHeight >= labelHeight),
      failures(spec, look, cellWidth),
    ],
  };
}

/** Returns the least and the most of the values, whose spreads aren't drawn. */
function extentOf(spec: HeatSpec): [number, number] {
  const values = spec.rows.flatMap(({ cells }) => cells.flatMap((cell) => (isReading(cell) ? [cell.value] : [])));
  return values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
}

function fields(
  spec: HeatSpec,
  look: Look,
  [least = 0, most = 0]: readonly number[],
  scaled: (value: number) => number,
  labelled: boolean,
): object {
  const data = spec.rows.flatMap(({ cells }, row) =>
    cells.flatMap((cell, column) => {
      if (!isReading(cell)) return [];
      const value = scaled(cell.value);
      const share = most > least ? (value - least) / (most - least) : 0.5;
      const label = { color: inkOn(color.lerp(share, [...look.ramp]) as string) };
      return [{ value: [column, row, value], row, column, label }];
    }),
  );
  return {
    type: 'heatmap',
    data,
    itemStyle: { borderColor: look.surface, borderWidth: 2 },
    label: {
      show: labelled,
      fontFamily: look.font,
      fontSize: 12,
      formatter: ({ data: { row, column } }: { readonly data: { readonly row: number; readonly column: number } }) => {
        const cell = spec.rows[row]?.cells[column];
        return isReading(cell) ? formatValue(spec.value.unit, cell.value) : '';
      },
    },
    emphasis: { itemStyle: { borderColor: look.text, borderWidth: 2 } },
  };
}

/** Returns a series that draws a cross in each field that failed. */
function failures(spec: HeatSpec, look: Look, cellWidth: number): object {
  const data = spec.rows.flatMap(({ cells }, row) =>
    cells.flatMap((cell, column) => (isFailure(cell) ? [{ value: [column, row], row, column }] : [])),
  );
  return {
    type: 'scatter',
    data,
    symbol: 'circle',
    symbolSize: 12,
    itemStyle: { color: 'transparent', opacity: 1 },
    label: {
      show: true,
      formatter: cellWidth > 70 ? '✕ failed' : '✕',
      color: look.bad,
      fontFamily: look.font,
      fontSize: 12,
    },
  };
}

/** Returns black or white, whichever has more contrast by WCAG's relative luminance. */
function inkOn(fill: string): string {
  const [r = 0, g = 0, b = 0] = (color.parse(fill) ?? []).map((channel, index) => {
    if (index > 2) return channel;
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return luminance > 0.179 ? '#0b1016' : '#ffffff';
}
