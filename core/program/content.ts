/** What a region should hold, followed through the program one operation after another. */
import type { Content } from './program.ts';

interface Piece {
  readonly from: number;
  readonly to: number;
  /** Null: written, but with what can't be derived. */
  readonly content: Content | null;
}

/** `content` as seen `bytes` further on. */
export function shiftContent(content: Content, bytes: number): Content {
  return { ...content, patternOffset: content.patternOffset + bytes };
}

const sameContent = (a: Content, b: Content): boolean =>
  a.patternOffset === b.patternOffset &&
  a.multiplier === b.multiplier &&
  a.pattern.kind === b.pattern.kind &&
  JSON.stringify(a.pattern) === JSON.stringify(b.pattern);

/** The content of one buffer as a list of pieces without gaps, in order of address. */
export class BufferContent {
  #pieces: readonly Piece[];
  readonly bytes: number;

  constructor(bytes: number, initial: Content) {
    this.bytes = bytes;
    this.#pieces = [{ from: 0, to: bytes, content: initial }];
  }

  /** Replaces [from, from + length) by `content`, given as it is at `from`. */
  write(from: number, length: number, content: Content | null): void {
    this.#splice(from, from + length, [{ from, to: from + length, content }]);
  }

  /** Copies a region of another buffer, piece by piece. */
  copyFrom(source: BufferContent, sourceFrom: number, from: number, length: number): void {
    const move = from - sourceFrom;
    const pieces = source.pieces(sourceFrom, length);
    this.#splice(
      from,
      from + length,
      pieces.map((piece) => ({ from: piece.from + move, to: piece.to + move, content: piece.content })),
    );
  }

  /** The pieces of a region, cut to it. */
  pieces(from: number, length: number): Piece[] {
    const to = from + length;
    return this.#pieces.filter((piece) => piece.from < to && piece.to > from).map((piece) => cut(piece, from, to));
  }

  /** The content of a whole region where it is one, and known. */
  single(from: number, length: number): Content | null {
    const [only, ...rest] = this.pieces(from, length);
    return only === undefined || rest.length > 0 ? null : only.content;
  }

  #splice(from: number, to: number, middle: readonly Piece[]): void {
    const before = this.#pieces.filter((piece) => piece.from < from).map((piece) => cut(piece, 0, from));
    const after = this.#pieces.filter((piece) => piece.to > to).map((piece) => cut(piece, to, this.bytes));
    this.#pieces = merge([...before, ...middle, ...after]);
  }
}

function cut(piece: Piece, from: number, to: number): Piece {
  const start = Math.max(piece.from, from);
  const content = piece.content === null ? null : shiftContent(piece.content, start - piece.from);
  return { from: start, to: Math.min(piece.to, to), content };
}

/** Joins neighbours that continue each other, so that a loop over chunks doesn't end in as many pieces. */
function merge(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last !== undefined && continues(last, piece)) merged[merged.length - 1] = { ...last, to: piece.to };
    else merged.push(piece);
  }
  return merged;
}

function continues(left: Piece, right: Piece): boolean {
  if (left.content === null || right.content === null) return left.content === right.content;
  return sameContent(shiftContent(left.content, left.to - left.from), right.content);
}
