/** The words of a pattern, as every engine must produce them (see patternSchema). */
import type { Pattern } from '../experiment/resources.ts';
import type { Content } from './program.ts';

/** Odd constant of Knuth's multiplicative hashing (2^32 / golden ratio), spreading neighbouring word numbers apart. */
const goldenRatio32 = 0x9e3779b1;

/** MurmurHash3's 32-bit finaliser. */
function fmix32(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Word `index` of a pattern as an unsigned 32-bit integer. */
export function patternWord(pattern: Pattern, index: number): number {
  if (pattern.kind === 'constant') return pattern.value >>> 0;
  if (pattern.kind === 'index') return (index + pattern.seed) >>> 0;
  return fmix32(Math.imul(index, goldenRatio32) + pattern.seed);
}

/** Byte `index` of a region with this content: little-endian words of the pattern, multiplied modulo 2^32. */
export function contentByte(content: Content, index: number): number {
  const position = content.patternOffset + index;
  const word = Math.imul(patternWord(content.pattern, Math.floor(position / 4)), content.multiplier);
  return (word >>> ((position % 4) * 8)) & 0xff;
}
