/** Numbers as a person writes them in a program. */
import { GiB, KiB, MiB } from '../units.ts';

const units = [
  ['GiB', GiB],
  ['MiB', MiB],
  ['KiB', KiB],
] as const;

/** Returns 20971520 as '20 * MiB', which both languages define; other numbers with their digits in groups. */
export function bytesExpression(bytes: number, separator: "'" | '_'): string {
  const unit = units.find(([, factor]) => bytes >= factor && bytes % factor === 0);
  return unit === undefined ? grouped(bytes, separator) : `${bytes / unit[1]} * ${unit[0]}`;
}

/** Returns the unit in an expression; null if there is none. */
export const unitIn = (expression: string): 'KiB' | 'MiB' | 'GiB' | null =>
  units.find(([name]) => expression.endsWith(name))?.[0] ?? null;

/** Returns a whole number with its digits in groups of three. */
export const grouped = (value: number, separator: "'" | '_'): string =>
  BigInt(Math.round(value))
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, separator);
