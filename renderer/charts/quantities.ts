/** Figures of a chart as text: one unit per axis, and values with their unit. */
import { bytesText, durationText } from '../../core/experiment/edit/quantities.ts';
import { formatBytes, formatDuration, formatRate, formatShare, GiB, KiB, MiB } from '../../core/units.ts';
import { type ChartSpec, type ChosenQuantity, isReading, type Quantity, type Unit } from './spec.ts';

const formats: Readonly<Record<Unit, (value: number) => string>> = {
  ns: formatDuration,
  B: formatBytes,
  'B/s': formatRate,
  share: formatShare,
  count: (value) => value.toLocaleString('en', { maximumFractionDigits: 3 }),
};

export const formatValue = (unit: Unit, value: number): string => formats[unit](value);

/** Formats a chosen value, such as a size of a sweep, exactly and shortly: '2 MiB', not '2.00 MiB'. */
export function formatChosen(unit: Unit, value: number): string {
  if (unit === 'B') return bytesText(value);
  return unit === 'ns' ? durationText(value) : formatValue(unit, value);
}

/** Formats a chosen value of an axis, whose values may have names. */
export const chosenText = ({ unit, names }: ChosenQuantity, value: number): string =>
  names == null ? formatChosen(unit, value) : (names[value] ?? '');

export interface AxisUnit {
  /** Name of the unit; empty for plain numbers. */
  readonly name: string;
  readonly factor: number;
}

type Steps = readonly (readonly [factor: number, name: string])[];

const steps: Readonly<Record<Unit, Steps>> = {
  ns: [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ],
  B: [
    [GiB, 'GiB'],
    [MiB, 'MiB'],
    [KiB, 'KiB'],
    [1, 'B'],
  ],
  'B/s': [
    [1e12, 'TB/s'],
    [1e9, 'GB/s'],
    [1e6, 'MB/s'],
    [1e3, 'kB/s'],
    [1, 'B/s'],
  ],
  share: [[0.01, '%']],
  count: [[1, '']],
};

/** Returns the unit that gives the largest value one to three digits before the point. */
export function axisUnit(unit: Unit, most: number): AxisUnit {
  const choices = steps[unit];
  const [factor, name] = choices.find(([size]) => most >= size) ?? choices.at(-1) ?? [1, ''];
  return { name, factor };
}

/** Returns a title such as 'Makespan (ms)'. */
export const axisTitle = ({ name }: Quantity, unit: AxisUnit): string =>
  unit.name === '' ? name : `${name} (${unit.name})`;

/** Returns true if the smallest of the numbers would lie at the foot of a linear scale: two decades or more. */
export function spansDecades(values: readonly number[]): boolean {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0 && most >= 100 * least;
}

/** Returns all drawn values, with the ends of spreads. */
export const valuesOf = ({ rows }: ChartSpec): number[] =>
  rows.flatMap(({ cells }) =>
    cells.flatMap((cell) => (isReading(cell) ? [cell.low ?? cell.value, cell.value, cell.high ?? cell.value] : [])),
  );

/** Returns the largest drawn value with spreads and limits, or 0. */
export function mostOf(spec: ChartSpec): number {
  if (spec.kind === 'bars' && spec.stacked === true) {
    return Math.max(0, ...spec.categories.map((_, column) => stackHeight(spec, column)));
  }
  return Math.max(0, ...valuesOf(spec));
}

const stackHeight = ({ rows }: ChartSpec, column: number): number =>
  rows.reduce((sum, { cells }) => {
    const cell = cells[column];
    return sum + (isReading(cell) ? cell.value : 0);
  }, 0);
