/** Numbers as a person writes them into a program. */
import { GiB, KiB, MiB } from '../../units.ts';

const units = [
  ['GiB', GiB],
  ['MiB', MiB],
  ['KiB', KiB],
] as const;

/** 20971520 as '20 * MiB', a name that both languages define; another number as it is, with its digits in groups. */
export function bytesExpression(bytes: number, separator: "'" | '_'): string {
  const unit = units.find(([, factor]) => bytes >= factor && bytes % factor === 0);
  return unit === undefined ? grouped(bytes, separator) : `${bytes / unit[1]} * ${unit[0]}`;
}

/** The unit in an expression; null where it has none. */
export const unitIn = (expression: string): 'KiB' | 'MiB' | 'GiB' | null =>
  units.find(([name]) => expression.endsWith(name))?.[0] ?? null;

/** Whole, with its digits in groups of three. */
export const grouped = (value: number, separator: "'" | '_'): string =>
  BigInt(Math.round(value))
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, separator);
