/** Tables of block copies in generated programs. */
import type { Blocks, Instruction } from '../program/program.ts';
import type { CodeScope } from './scope.ts';

type BlockCopy = Extract<Instruction, { code: 'blockCopy' | 'packBlocks' }>;

export const isBlockCopy = (one: Instruction): one is BlockCopy =>
  one.code === 'blockCopy' || one.code === 'packBlocks';

interface Table {
  readonly count: number;
  /** Expressions of the block number `i`: begin in the source and in the destination, and bytes. */
  readonly from: string;
  readonly to: string;
  readonly bytes: string;
}

/** `list` writes an element of a list that no formula describes. */
export function tableOf(
  { sizes, srcOffsets, dstOffsets }: Blocks,
  scope: CodeScope<string>,
  list: (values: readonly string[]) => string,
): Table {
  const written = (values: Float64Array): string =>
    formula(values, scope) ?? list(Array.from(values, (value) => scope.bytes(value)));
  return { count: sizes.length, from: written(srcOffsets), to: written(dstOffsets), bytes: written(sizes) };
}

/** Returns `begin + i * step % slots * bytes`, or a simpler one; null if no such formula gives all values. */
function formula(values: Float64Array, scope: CodeScope<string>): string | null {
  const begin = values[0] ?? 0;
  const step = (values[1] ?? begin) - begin;
  const wrap = values.findIndex((value, at) => at > 0 && value !== (values[at - 1] ?? 0) + step);
  const round = wrap < 0 ? Number.POSITIVE_INFINITY : (values[wrap - 1] ?? 0) + step - (values[wrap] ?? 0);
  if (step < 0 || values.some((value, at) => value !== begin + ((at * step) % round))) return null;
  if (step === 0) return scope.bytes(begin);
  const slot = wrap < 0 ? step : divisor(step, round);
  const number = step === slot ? 'i' : `i * ${step / slot}`;
  const place = wrap < 0 ? number : `${number} % ${round / slot}`;
  return `${begin === 0 ? '' : `${scope.bytes(begin)} + `}${place === 'i' || wrap >= 0 ? place : `(${place})`} * ${scope.bytes(slot)}`;
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
