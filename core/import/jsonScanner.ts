/**
 * Scans JSON text in a ByteWindow, value by value. Every function begins at `window.at` and moves it behind what it
 * read. If the bytes end too early it throws `outOfBytes`: reset `at`, push more, and call it again. If they aren't
 * JSON it throws a MalformedJson. Grammar: RFC 8259.
 */
import type { ByteWindow } from './byteWindow.ts';

/** Thrown if the bytes ended inside a value. It happens once per chunk, so it is one object without a stack. */
export const outOfBytes = { reason: 'out of bytes' } as const;

export class MalformedJson extends Error {
  /** Position in the window. */
  readonly position: number;

  constructor(position: number, message: string) {
    super(message);
    this.position = position;
  }
}

export const quote = 0x22;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const deepest = 200;

/** Describes the byte at a position, for a message. */
function shown(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte ${byte}`;
}

/** Throws an error about the byte at `position`: there is none, or another was expected. */
export function unexpected(window: ByteWindow, position: number, expected: string): never {
  if (position >= window.end) throw outOfBytes;
  throw new MalformedJson(position, `${shown(window.bytes[position] ?? 0)} stands where ${expected} should`);
}

/** Skips white space, and returns the byte after it; 0 at the end of the bytes. */
export function nextByte(window: ByteWindow): number {
  const { bytes } = window;
  let at = window.at;
  let byte = bytes[at] ?? 0;
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
    at += 1;
    byte = bytes[at] ?? 0;
  }
  window.at = at;
  return byte;
}

export function expectByte(window: ByteWindow, wanted: number): void {
  if (nextByte(window) !== wanted) unexpected(window, window.at, `"${String.fromCharCode(wanted)}"`);
  window.at += 1;
}

export const expectColon = (window: ByteWindow): void => expectByte(window, colon);

/** Skips a string at `at`. Its content is from the old `at` + 1 up to the new `at` - 1. */
export function skipString(window: ByteWindow): void {
  const { bytes } = window;
  if (bytes[window.at] !== quote) unexpected(window, window.at, 'a string');
  let at = window.at + 1;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) break;
    if (byte === backslash) {
      if (at + 1 >= window.end) throw outOfBytes;
      at += 2;
    } else if (byte < 0x20) {
      unexpected(window, at, 'the rest of a string');
    } else {
      at += 1;
    }
  }
  window.at = at + 1;
}

/** A number in two parts: microseconds since 1970 with decimals have more digits than a double. */
export interface Decimal {
  /** Digits before the point, with the sign; exact up to 2^53. */
  whole: number;
  /** The digits behind the point in thousandths, with the sign: 0.25 is 250. */
  thousandths: number;
}

/** Reads a number into `into`. */
export function readDecimal(window: ByteWindow, into: Decimal): void {
  const { bytes } = window;
  const start = window.at;
  let at = start;
  const negative = bytes[at] === minus;
  if (negative) at += 1;
  let whole = 0;
  const digits = at;
  let byte = bytes[at] ?? 0;
  while (byte >= zero && byte <= nine) {
    whole = whole * 10 + (byte - zero);
    at += 1;
    byte = bytes[at] ?? 0;
  }
  if (at === digits) unexpected(window, at, 'a digit');
  let thousandths = 0;
  if (byte === point) {
    let unit = 100;
    at += 1;
    const fraction = at;
    byte = bytes[at] ?? 0;
    while (byte >= zero && byte <= nine) {
      thousandths += (byte - zero) * unit;
      unit /= 10;
      at += 1;
      byte = bytes[at] ?? 0;
    }
    if (at === fraction) unexpected(window, at, 'a digit');
  }
  // The next chunk may begin with another digit.
  if (at >= window.end) throw outOfBytes;
  window.at = at;
  if (byte === 0x65 || byte === 0x45) {
    skipExponent(window);
    const value = Number(asciiText(bytes, start, window.at));
    into.whole = Math.trunc(value);
    into.thousandths = (value - into.whole) * 1000;
    return;
  }
  into.whole = negative ? -whole : whole;
  into.thousandths = negative ? -thousandths : thousandths;
}

function skipExponent(window: ByteWindow): void {
  const { bytes } = window;
  let at = window.at + 1;
  if (bytes[at] === plus || bytes[at] === minus) at += 1;
  const digits = at;
  while ((bytes[at] ?? 0) >= zero && (bytes[at] ?? 0) <= nine) at += 1;
  if (at === digits) unexpected(window, at, 'a digit');
  if (at >= window.end) throw outOfBytes;
  window.at = at;
}

export function asciiText(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

const scratch: Decimal = { whole: 0, thousandths: 0 };
const words = ['true', 'false', 'null', 'NaN', 'Infinity', '-Infinity'].map((word) =>
  Uint8Array.from(word, (letter) => letter.charCodeAt(0)),
);

/**
 * Skips any value. Accepts Python's NaN and Infinity, which its json module writes although JSON lacks them, because no
 * value read here is one of them.
 */
export function skipValue(window: ByteWindow, depth = 0): void {
  const byte = nextByte(window);
  if (byte === quote) skipString(window);
  else if (byte === openBrace) skipObject(window, depth);
  else if (byte === openBracket) skipArray(window, depth);
  else if ((byte >= zero && byte <= nine) || (byte === minus && window.bytes[window.at + 1] !== 0x49)) {
    readDecimal(window, scratch);
  } else skipWord(window);
}

function skipWord(window: ByteWindow): void {
  const { bytes, at, end } = window;
  for (const word of words) {
    let same = 0;
    while (same < word.length && bytes[at + same] === word[same]) same += 1;
    if (same === word.length) {
      window.at = at + same;
      return;
    }
    if (at + same >= end && same > 0) throw outOfBytes;
  }
  unexpected(window, at, 'a value');
}

function skipObject(window: ByteWindow, depth: number): void {
  if (depth >= deepest) throw new MalformedJson(window.at, `values lie more than ${deepest} deep in one another`);
  window.at += 1;
  if (nextByte(window) === closeBrace) {
    window.at += 1;
    return;
  }
  for (;;) {
    nextByte(window);
    skipString(window);
    expectColon(window);
    skipValue(window, depth + 1);
    const byte = nextByte(window);
    if (byte !== comma && byte !== closeBrace) unexpected(window, window.at, '"," or "}"');
    window.at += 1;
    if (byte === closeBrace) return;
  }
}

function skipArray(window: ByteWindow, depth: number): void {
  if (depth >= deepest) throw new MalformedJson(window.at, `values lie more than ${deepest} deep in one another`);
  window.at += 1;
  if (nextByte(window) === closeBracket) {
    window.at += 1;
    return;
  }
  for (;;) {
    skipValue(window, depth + 1);
    const byte = nextByte(window);
    if (byte !== comma && byte !== closeBracket) unexpected(window, window.at, '"," or "]"');
    window.at += 1;
    if (byte === closeBracket) return;
  }
}
