/** Values of an axis: amounts with units, lists and ranges. */
import { bytesText, durationText, parseBytes, parseDuration } from '../../experiment/edit/quantities.ts';
import type { ParameterUnit } from '../../experiment/templates/parameters.ts';
import type { Amount } from './document.ts';

/** Returns base units; null if the text isn't such an amount. Text needs a unit, a plain number has none. */
export function parseAmount(amount: Amount, unit: ParameterUnit): number | null {
  if (typeof amount === 'number') return Number.isFinite(amount) ? amount : null;
  if (unit === 'count') return /^\s*-?\d+(\.\d+)?\s*$/.test(amount) ? Number(amount) : null;
  if (/^[\d.,_\s]*$/.test(amount)) return null;
  return unit === 'B' ? parseBytes(amount) : parseDuration(amount);
}

/** Formats an amount as a person writes it: '1 MiB', '20 us', '5'. Parsing gives the same number again. */
export function amountText(value: number, unit: ParameterUnit): string {
  if (unit === 'B') return bytesText(value);
  return unit === 'ns' ? durationText(value) : String(value);
}

/** Returns a value of an axis in words; if it is an axis of names, its name. */
export function axisText({ unit, names }: AxisWords, value: number | undefined): string {
  return names === null ? amountText(value ?? 0, unit) : (names[value ?? -1] ?? '');
}

interface AxisWords {
  readonly unit: ParameterUnit;
  /** Names that the axis's values index; null if the values are numbers. */
  readonly names: readonly string[] | null;
}

export const amountExample: Readonly<Record<ParameterUnit, string>> = {
  B: 'a size such as "1 MiB", or a number of bytes',
  ns: 'a time such as "20 µs", or a number of nanoseconds',
  count: 'a number',
};

export interface Range {
  readonly from: number;
  readonly to: number;
  /** Number of values, including both ends. */
  readonly points: number;
  readonly scale: 'linear' | 'geometric';
}

/**
 * Returns the values of a range in order, with its exact ends. Whole values are rounded and equal neighbours dropped,
 * so there may be fewer than requested.
 */
export function rangeValues({ from, to, points, scale }: Range, whole: boolean): number[] {
  const inside = (step: number): number => {
    const share = step / (points - 1);
    return scale === 'linear' ? from + (to - from) * share : from * (to / from) ** share;
  };
  const direction = Math.sign(to - from);
  const values = [from];
  for (let step = 1; step < points - 1; step += 1) {
    const value = tidy(inside(step), whole);
    const isNew = (value - (values.at(-1) ?? from)) * direction > 0 && (to - value) * direction > 0;
    if (isNew) values.push(value);
  }
  return [...values, to];
}

/** Removes digits that come only from float arithmetic. */
const tidy = (value: number, whole: boolean): number => (whole ? Math.round(value) : Number(value.toPrecision(12)));
