/** Expected content of regions, tracked through the program one operation after another. */
import type { Content } from './program.ts';

export interface Piece {
  readonly from: number;
  readonly to: number;
  /** Content as seen from the region's first byte. Null if it was written with unknown content. */
  readonly content: Content | null;
}

/** Returns `content` as seen `bytes` further on. */
export function shiftContent(content: Content, bytes: number): Content {
  return bytes === 0 ? content : canonical({ ...content, patternOffset: content.patternOffset + bytes });
}

/** Returns `content` with each word multiplied by `factor`, modulo 2^32. Words must be aligned with the buffer's. */
export function multiplyContent(content: Content, factor: number): Content {
  return canonical({ ...content, multiplier: Math.imul(content.multiplier, factor) >>> 0 });
}

/** Normalizes content of equal words: the result starts at a word and has multiplier 1. */
export function canonical(content: Content): Content {
  const { pattern, patternOffset, multiplier } = content;
  if (pattern.kind !== 'constant' || (patternOffset === 0 && multiplier === 1)) return content;
  const word = Math.imul(pattern.value, multiplier);
  const turn = (patternOffset % 4) * 8;
  const value = (turn === 0 ? word : (word >>> turn) | (word << (32 - turn))) >>> 0;
  return { pattern: { kind: 'constant', value }, patternOffset: 0, multiplier: 1 };
}

/** Returns whether two canonical contents are equal. */
function sameContent(a: Content | null, b: Content | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.patternOffset !== b.patternOffset || a.multiplier !== b.multiplier) return false;
  if (a.pattern.kind === 'constant') return b.pattern.kind === 'constant' && a.pattern.value === b.pattern.value;
  return b.pattern.kind === a.pattern.kind && a.pattern.seed === b.pattern.seed;
}

/** Returns whether two lists of pieces of one region are equal. */
export const samePieces = (some: readonly Piece[], others: readonly Piece[]): boolean =>
  some.length === others.length &&
  some.every((piece, index) => {
    const other = others[index];
    return other === piece || (other?.from === piece.from && sameContent(other.content, piece.content));
  });

/** Content of one buffer as contiguous pieces in order of address. No piece continues the one before. */
export class BufferContent {
  #pieces: Piece[];
  readonly bytes: number;

  constructor(bytes: number, initial: Content) {
    this.bytes = bytes;
    this.#pieces = [{ from: 0, to: bytes, content: canonical(initial) }];
  }

  /** Replaces [from, from + length) by `content`, as seen from `from`. Returns the cost in pieces. */
  write(from: number, length: number, content: Content | null): number {
    return this.replace([{ from, to: from + length, content: content === null ? null : canonical(content) }]);
  }

  /** Copies a region of another buffer, piece by piece. Returns the cost in pieces. */
  copyFrom(source: BufferContent, sourceFrom: number, from: number, length: number): number {
    const move = from - sourceFrom;
    const moved = source
      .pieces(sourceFrom, length)
      .map((piece) => ({ from: piece.from + move, to: piece.to + move, content: piece.content }));
    return this.replace(moved);
  }

  /** Replaces a region by adjacent pieces. Returns the cost in pieces. */
  replace(pieces: readonly Piece[]): number {
    const [from, to] = [pieces[0]?.from ?? 0, pieces.at(-1)?.to ?? 0];
    if (from >= to) return 1;
    // Includes one neighbour on each side, since it may continue the new pieces.
    const first = Math.max(0, this.#at(from) - 1);
    const end = Math.min(this.#pieces.length, this.#at(to - 1) + 2);
    const old = this.#pieces.slice(first, end);
    const before = old.filter((piece) => piece.from < from).map((piece) => cut(piece, piece.from, from));
    const after = old.filter((piece) => piece.to > to).map((piece) => cut(piece, to, piece.to));
    const merged = merge([...before, ...pieces, ...after]);
    this.#splice(first, end, merged);
    // Later pieces are moved in memory, which is a hundred times faster than making a piece.
    return old.length + merged.length + (this.#pieces.length - first) / 128;
  }

  /** Returns the pieces of a region, cut to it. */
  pieces(from: number, length: number): Piece[] {
    if (length <= 0) return [];
    const to = from + length;
    return this.#pieces.slice(this.#at(from), this.#at(to - 1) + 1).map((piece) => cut(piece, from, to));
  }

  /** Returns the content of a whole region if it is one known piece. */
  single(from: number, length: number): Content | null {
    const piece = this.#pieces[this.#at(from)];
    if (piece === undefined || length <= 0 || piece.to < from + length) return null;
    return cut(piece, from, from + length).content;
  }

  /** Returns all pieces as they are now. */
  snapshot(): readonly Piece[] {
    return this.#pieces.slice();
  }

  equals(snapshot: readonly Piece[]): boolean {
    return samePieces(this.#pieces, snapshot);
  }

  /** Returns the index of the piece that contains this byte. */
  #at(byte: number): number {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pieces[middle]?.from ?? 0) <= byte) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #splice(first: number, end: number, replacement: readonly Piece[]): void {
    // Arguments are passed on the stack, so a long replacement can't be spread into splice().
    if (replacement.length < 1000) this.#pieces.splice(first, end - first, ...replacement);
    else this.#pieces = [...this.#pieces.slice(0, first), ...replacement, ...this.#pieces.slice(end)];
  }
}

function cut(piece: Piece, from: number, to: number): Piece {
  const start = Math.max(piece.from, from);
  const end = Math.min(piece.to, to);
  if (start === piece.from && end === piece.to) return piece;
  return { from: start, to: end, content: piece.content && shiftContent(piece.content, start - piece.from) };
}

/** Joins neighbours that continue each other, so that a loop over chunks doesn't leave as many pieces. */
function merge(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last !== undefined && continues(last, piece)) merged[merged.length - 1] = { ...last, to: piece.to };
    else merged.push(piece);
  }
  return merged;
}

const continues = (left: Piece, right: Piece): boolean =>
  sameContent(left.content && shiftContent(left.content, left.to - left.from), right.content);
