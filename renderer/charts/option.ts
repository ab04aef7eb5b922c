/** Turns a chart's data into ECharts options. Nothing here uses the DOM. */
import type { EChartsCoreOption } from 'echarts/core';
import { barParts } from './bars.ts';
import { heatParts } from './heat.ts';
import { lineParts } from './lines.ts';
import type { Look } from './look.ts';
import { columnLines, pointLines } from './points.ts';
import { type ChartSpec, fullTitle, provenanceLine } from './spec.ts';

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Draws title and provenance into the picture, as saved files need; the window shows them above the chart. */
  readonly withTitle: boolean;
}

/** A point of a series: `[…numbers]`, and its place in the spec as `row` and `column`. */
export interface DatumPlace {
  readonly row: number;
  readonly column: number;
}

export function chartOption(spec: ChartSpec, look: Look, frame: Frame): EChartsCoreOption {
  const top = frame.withTitle ? 78 : 10;
  const parts =
    spec.kind === 'bars'
      ? barParts(spec, look, { ...frame, top })
      : spec.kind === 'lines'
        ? lineParts(spec, look, { ...frame, top })
        : heatParts(spec, look, { ...frame, top });
  return {
    animation: false,
    backgroundColor: look.surface,
    textStyle: { fontFamily: look.font, color: look.text, fontSize: 12 },
    aria: { enabled: true, label: { enabled: false }, decal: { show: spec.kind === 'bars' } },
    ...(frame.withTitle ? { title: title(spec, look) } : {}),
    tooltip: tooltip(spec, look),
    ...parts,
  };
}

const title = (spec: ChartSpec, look: Look) => ({
  text: fullTitle(spec),
  subtext: provenanceLine(spec),
  left: 16,
  top: 12,
  textStyle: { color: look.text, fontSize: 16, fontWeight: 600, fontFamily: look.font },
  subtextStyle: { color: look.textDim, fontSize: 12, fontFamily: look.font },
});

/** A point under the pointer, from ECharts. */
interface Hit {
  readonly data?: unknown;
}

const tooltip = (spec: ChartSpec, look: Look) => ({
  // Lines have a crosshair with all series.
  trigger: spec.kind === 'lines' ? 'axis' : 'item',
  axisPointer: { type: 'cross', label: { show: false }, lineStyle: { color: look.textDim } },
  // Text is drawn with the chart, since markup made of names from users could be unsafe.
  renderMode: 'richText',
  confine: true,
  backgroundColor: look.surface,
  borderColor: look.line,
  textStyle: { color: look.text, fontFamily: look.font, fontSize: 12, lineHeight: 17 },
  formatter: (found: Hit | readonly Hit[]) => {
    const place =
      [found]
        .flat()
        .map(({ data }) => placeOf(data))
        .find((one) => one !== null) ?? null;
    const cell = place === null ? null : (spec.rows[place.row]?.cells[place.column] ?? null);
    if (place === null || cell === null) return '';
    return (spec.kind === 'lines' ? columnLines(spec, place.column) : pointLines(spec, { ...place, cell })).join('\n');
  },
});

/** Returns the place in the spec of a drawn datum, or null if it is no point of the spec. */
export function placeOf(data: unknown): DatumPlace | null {
  if (typeof data !== 'object' || data === null) return null;
  const { row, column } = data as Partial<DatumPlace>;
  return typeof row === 'number' && typeof column === 'number' ? { row, column } : null;
}
