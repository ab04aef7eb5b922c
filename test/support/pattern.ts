/** Words of a pattern as the engines must produce them (see patternSchema), to compare with. */
import type { Pattern } from '../../core/experiment/resources.ts';
import type { Content } from '../../core/program/program.ts';

/** Odd constant of Knuth's multiplicative hashing (2^32 / golden ratio), which spreads neighbouring word numbers. */
const goldenRatio32 = 0x9e3779b1;

/** MurmurHash3's 32-bit finaliser. */
function fmix32(value: number): number {
  let h = value >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const floats = new Float32Array(1);
const bitsOfFloats = new Uint32Array(floats.buffer);

function bitsOf(value: number): number {
  floats[0] = value;
  return bitsOfFloats[0] ?? 0;
}

/** Returns the 16 bits of a number that half precision represents exactly: 0, or at least 2^-10 in size. */
function halfBits(value: number): number {
  const bits = bitsOf(value);
  if (value === 0) return 0;
  return ((bits >>> 16) & 0x8000) | ((((bits >>> 23) & 0xff) - 112) << 10) | ((bits >>> 13) & 0x3ff);
}

/** Returns the bits of a bfloat16, the upper half of single precision. */
const upperBits = (value: number): number => bitsOf(value) >>> 16;

/** Returns two numbers in a word, each from as many low bits of its half as the type represents exactly. */
function twoFloats(mixed: number, bits: number, encode: (value: number) => number): number {
  const half = 2 ** (bits - 1);
  const number = (from: number): number => encode((((mixed >>> from) & (2 * half - 1)) - half) / half);
  return (number(0) | (number(16) << 16)) >>> 0;
}

/** Returns word `index` of a pattern as an unsigned 32-bit integer. */
export function patternWord(pattern: Pattern, index: number): number {
  if (pattern.kind === 'constant') return pattern.value >>> 0;
  if (pattern.kind === 'index') return (index + pattern.seed) >>> 0;
  const mixed = fmix32(Math.imul(index, goldenRatio32) + pattern.seed);
  switch (pattern.kind) {
    case 'float32':
      return bitsOf(((mixed >>> 9) - 2 ** 22) / 2 ** 22);
    case 'float16':
      return twoFloats(mixed, 11, halfBits);
    case 'bfloat16':
      return twoFloats(mixed, 8, upperBits);
    default:
      return mixed;
  }
}

/** Returns byte `index` of a region: little-endian words of the pattern, multiplied modulo 2^32. */
export function contentByte(content: Content, index: number): number {
  const position = content.patternOffset + index;
  const word = Math.imul(patternWord(content.pattern, Math.floor(position / 4)), content.multiplier);
  return (word >>> ((position % 4) * 8)) & 0xff;
}
