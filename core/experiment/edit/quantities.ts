/** Quantities as a person types them, with units: "20 MiB", "40 us". Bytes use binary units, times decimal ones. */
import { decimalSize, GiB, KiB, MiB } from '../../units.ts';

type Units = readonly (readonly [name: string, factor: number])[];

const byteUnits: Units = [
  ['GiB', GiB],
  ['MiB', MiB],
  ['KiB', KiB],
  ['B', 1],
];
const decimalByteUnits: Units = [
  ['TiB', 1024 * GiB],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];
const durationUnits: Units = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
];

/** Returns the value in the first unit, or null if the text isn't a number with one of these units. */
function parse(text: string, units: Units, bare: number): number | null {
  const [, digits, name = ''] = /^\s*([\d.,_\s]*\d\.?(?:e[+-]?\d+)?)\s*([a-zµμ]*)\s*$/i.exec(text) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits.replace(/[,_\s]/g, ''));
  const wanted = withUs(name);
  const factor = wanted === '' ? bare : units.find(([unit]) => withUs(unit) === wanted)?.[1];
  return factor === undefined || !Number.isFinite(value) ? null : value * factor;
}

const withUs = (unit: string): string => unit.replace(/[µμ]/, 'u').toLowerCase();

/** Formats in the largest unit that shows the exact value. */
function exact(value: number, units: Units): string {
  const [name, factor] = units.find(([, factor]) => value >= factor && isShort(value / factor)) ??
    units.at(-1) ?? ['', 1];
  return `${value / factor} ${name}`;
}

/** Returns whether it has at most two decimals. */
const isShort = (value: number): boolean => Number.isInteger(value * 4) || Number(value.toFixed(2)) === value;

/** Parses whole bytes; a number without a unit is in bytes. Returns null for other text. */
export function parseBytes(text: string): number | null {
  const value = parse(text, [...byteUnits, ...decimalByteUnits], 1);
  if (value === null) return null;
  return Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : null;
}

/** Parses to nanoseconds; a number without a unit is in microseconds, as in CUDA's own tools. */
export const parseDuration = (text: string): number | null => {
  const value = parse(text, durationUnits, 1e3);
  return value === null ? null : Number(value.toPrecision(15));
};

/** Formats so that parsing gives the same number. Round decimal sizes stay decimal: 64 MB, not 62500 KiB. */
export function bytesText(value: number): string {
  const text = decimalSize(value) ?? exact(value, byteUnits);
  return parseBytes(text) === value ? text : `${value} B`;
}

/** Formats so that parsing gives the same number. */
export function durationText(value: number): string {
  const text = exact(value, durationUnits);
  return parseDuration(text) === value ? text : `${value} ns`;
}
