/** Parts of axes and legends that all kinds of chart share. */
import type { Look } from './look.ts';
import { type AxisUnit, axisTitle, axisUnit, mostOf, spansDecades, valuesOf } from './quantities.ts';
import type { ChartSpec } from './spec.ts';

export interface Room {
  readonly width: number;
  readonly height: number;
  /** Height of the title in pixels. */
  readonly top: number;
}

/** Returns the unit of the value axis; charts that end at the same value have the same unit. */
export const valueUnit = (spec: ChartSpec): AxisUnit => axisUnit(spec.value.unit, endOf(spec));

const endOf = (spec: ChartSpec): number => Math.max(spec.most ?? 0, mostOf(spec));

/** Formats a number without an exponent and without digits from float rounding. */
export const plain = (value: number): string =>
  Number(value.toPrecision(6)).toLocaleString('en', { useGrouping: true });

export const labels = (look: Look) => ({ color: look.textDim, fontFamily: look.font, fontSize: 12 });

const name = (text: string, look: Look, gap: number) => ({
  name: text,
  nameLocation: 'middle' as const,
  nameGap: gap,
  nameTextStyle: { color: look.text, fontFamily: look.font, fontSize: 12, fontWeight: 600 },
});

/** Rounds up to two digits, so that the label at the axis end is short. */
function roundedUp(value: number): number {
  const digit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / digit - 1e-9) * digit).toPrecision(3));
}

/** Returns true if lines or fields have a log scale. Bars begin at zero, since their lengths are compared. */
export const isLogScale = (spec: ChartSpec): boolean =>
  spec.kind !== 'bars' && spec.value.unit !== 'share' && spansDecades(valuesOf(spec));

/** Returns the title of the values, with unit and scale. */
export const valueTitle = (spec: ChartSpec): string =>
  `${axisTitle(spec.value, valueUnit(spec))}${isLogScale(spec) ? ', log scale' : ''}`;

/** Returns the lowest value of the axis in its unit: the power of ten below all values, or zero. */
export const footOf = (spec: ChartSpec): number =>
  isLogScale(spec) ? 10 ** Math.floor(Math.log10(Math.min(...valuesOf(spec)) / valueUnit(spec).factor)) : 0;

/** Returns an axis of values in one unit, which its title names. */
export const valueAxis = (spec: ChartSpec, look: Look, gap: number) => ({
  type: isLogScale(spec) ? ('log' as const) : ('value' as const),
  min: footOf(spec),
  ...(spec.most === undefined ? {} : { max: roundedUp(endOf(spec) / valueUnit(spec).factor) }),
  ...name(valueTitle(spec), look, gap),
  axisLabel: { ...labels(look), hideOverlap: true, formatter: plain },
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: look.line } },
  minorSplitLine: { show: isLogScale(spec), lineStyle: { color: look.line, opacity: 0.4 } },
});

/** Returns an axis with one place for each category. */
export const categoryAxis = (title: string, data: readonly string[], look: Look, gap: number) => ({
  type: 'category' as const,
  data: [...data],
  ...name(title, look, gap),
  axisLabel: { ...labels(look), hideOverlap: true },
  axisLine: { lineStyle: { color: look.line } },
  axisTick: { show: false },
});

/** Returns the ticks to label: on a log axis only powers of two, if there are enough. The other ticks have no label. */
function namedTicks(ticks: readonly number[], isLog: boolean): number[] {
  const round = isLog ? ticks.filter((tick) => Number.isInteger(Math.log2(tick))) : [];
  return round.length >= leastNamed ? round : [...ticks];
}

const leastNamed = 4;

/** Returns an axis of numbers with a tick at each point. */
export const numberAxis = ({ name: title, ticks, label, isLog }: NumberAxis, look: Look, gap: number) => ({
  type: isLog ? ('log' as const) : ('value' as const),
  ...(isLog ? { logBase: 2 } : { scale: true }),
  min: Math.min(...ticks),
  max: Math.max(...ticks),
  ...name(isLog ? `${title}, log scale` : title, look, gap),
  axisLabel: {
    ...labels(look),
    hideOverlap: true,
    margin: 12,
    customValues: namedTicks(ticks, isLog),
    formatter: label,
  },
  axisLine: { lineStyle: { color: look.line } },
  axisTick: { show: true, customValues: [...ticks], lineStyle: { color: look.line } },
  splitLine: { show: false },
});

export interface NumberAxis {
  readonly name: string;
  readonly ticks: readonly number[];
  readonly label: (value: number) => string;
  readonly isLog: boolean;
}

interface LegendEntry {
  readonly name: string;
  readonly icon?: string;
}

const itemWidth = 26;
const itemGap = 10;
const letterWidth = 6.6;
const lineHeight = 22;

/** Returns the height of the legend's lines after the first one. The whole legend is shown, however long it is. */
export function legendRoom(names: readonly string[], { width }: Pick<Room, 'width'>): number {
  const most = 0.94 * width;
  let [lines, used] = [1, 0];
  for (const text of names) {
    const needed = itemWidth + 5 + text.length * letterWidth + itemGap;
    if (used > 0 && used + needed > most) [lines, used] = [lines + 1, 0];
    used += needed;
  }
  return (lines - 1) * lineHeight;
}

export const legend = (data: readonly LegendEntry[], look: Look, bottom = 4) => ({
  data: [...data],
  bottom,
  left: 'center' as const,
  width: '94%' as const,
  type: 'plain' as const,
  itemWidth,
  itemGap,
  textStyle: { color: look.text, fontFamily: look.font, fontSize: 12 },
  // A click would hide a row, and a screen reader would not announce that.
  selectedMode: false,
});
