/** The values of an axis: amounts with their units, lists and ranges. */
import { bytesText, durationText, parseBytes, parseDuration } from '../experiment/edit/quantities.ts';
import type { ParameterUnit } from '../experiment/templates/parameters.ts';
import type { Amount } from './document.ts';

/** In base units; null where the text is no amount of that kind. A text needs its unit, a bare number has none. */
export function parseAmount(amount: Amount, unit: ParameterUnit): number | null {
  if (typeof amount === 'number') return Number.isFinite(amount) ? amount : null;
  if (unit === 'count') return /^\s*-?\d+(\.\d+)?\s*$/.test(amount) ? Number(amount) : null;
  if (/^[\d.,_\s]*$/.test(amount)) return null;
  return unit === 'B' ? parseBytes(amount) : parseDuration(amount);
}

/** As a person writes it: '1 MiB', '20 us', '5'. Reads back as the same number. */
export function amountText(value: number, unit: ParameterUnit): string {
  if (unit === 'B') return bytesText(value);
  return unit === 'ns' ? durationText(value) : String(value);
}

/** A value of an axis in words: its name, where the axis says which and not how much. */
export function axisText({ unit, names }: AxisWords, value: number | undefined): string {
  return names === null ? amountText(value ?? 0, unit) : (names[value ?? -1] ?? '');
}

interface AxisWords {
  readonly unit: ParameterUnit;
  /** Of an axis of names its values are places in this list; null of one of numbers. */
  readonly names: readonly string[] | null;
}

export const amountExample: Readonly<Record<ParameterUnit, string>> = {
  B: 'a size such as "1 MiB", or a number of bytes',
  ns: 'a time such as "20 us", or a number of nanoseconds',
  count: 'a number',
};

export interface Range {
  readonly from: number;
  readonly to: number;
  /** Both ends are among them. */
  readonly points: number;
  readonly scale: 'linear' | 'geometric';
}

/**
 * The values of a range in order, its ends exactly. Whole ones are rounded, and what is then the same as its neighbour is
 * left out, so that there may be fewer than were asked for.
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

/** Without the digits that only float arithmetic made. */
const tidy = (value: number, whole: boolean): number => (whole ? Math.round(value) : Number(value.toPrecision(12)));
