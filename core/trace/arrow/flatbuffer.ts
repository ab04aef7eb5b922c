/**
 * Reads FlatBuffers tables with bounds checks. Arrow's own reader treats bytes beyond the end as zeros and trusts every
 * length, so a hostile file can keep it busy for hours. Therefore guard.ts checks the tables with this one first.
 * Layout: https://flatbuffers.dev/internals (offsets are relative to where they are stored; vtables give the slots).
 */
import { damaged } from './problems.ts';

export class FlatBuffer {
  readonly #view: DataView;
  readonly #field: string;
  /** Strings don't overlap, so all of them together fit into the buffer. If not, the file is hostile. */
  #charactersLeft: number;

  constructor(bytes: Uint8Array, field: string) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#field = field;
    this.#charactersLeft = bytes.byteLength;
  }

  root(): Table {
    return new Table(this, this.follow(0));
  }

  int16(at: number): number {
    return this.#view.getInt16(this.#inside(at, 2), true);
  }

  int32(at: number): number {
    return this.#view.getInt32(this.#inside(at, 4), true);
  }

  uint8(at: number): number {
    return this.#view.getUint8(this.#inside(at, 1));
  }

  /** Reads a 64-bit integer that a double can represent exactly. */
  int64(at: number): number {
    const value = Number(this.#view.getBigInt64(this.#inside(at, 8), true));
    if (!Number.isSafeInteger(value)) throw this.broken(`has the impossible number ${value}`);
    return value;
  }

  /** Returns the target of the unsigned offset stored at `at`. */
  follow(at: number): number {
    const target = at + this.#view.getUint32(this.#inside(at, 4), true);
    return this.#inside(target, 4);
  }

  /** Returns a vector of `length` elements of `elementBytes` each, after checking that it lies inside the buffer. */
  vector(at: number, elementBytes: number, most: number, what: string): Vector {
    const start = this.follow(at);
    const length = this.int32(start);
    if (length < 0 || length > most) throw this.broken(`has ${length} ${what}; at most ${most} are read`);
    if (length > 0) this.#inside(start + 4, length * elementBytes);
    return { first: start + 4, length };
  }

  checkString(at: number): void {
    this.#charactersLeft -= this.vector(at, 1, this.#charactersLeft, 'characters').length;
  }

  string(at: number): string {
    const { first, length } = this.vector(at, 1, this.#charactersLeft, 'characters');
    this.#charactersLeft -= length;
    return new TextDecoder().decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + first, length));
  }

  broken(how: string): Error {
    return damaged(this.#field, `the ${this.#field} ${how}.`);
  }

  #inside(at: number, size: number): number {
    if (at < 0 || at + size > this.#view.byteLength) throw this.broken('points outside itself');
    return at;
  }
}

export interface Vector {
  readonly first: number;
  readonly length: number;
}

const nothing: Vector = { first: 0, length: 0 };

/** A table whose fields are read by slot number, the order of fields in Arrow's .fbs files. */
export class Table {
  readonly #buffer: FlatBuffer;
  readonly #at: number;
  readonly #vtable: number;
  readonly #slots: number;

  constructor(buffer: FlatBuffer, at: number) {
    this.#buffer = buffer;
    this.#at = at;
    this.#vtable = at - buffer.int32(at);
    this.#slots = (buffer.int16(this.#vtable) - 4) / 2;
  }

  has(slot: number): boolean {
    return this.#position(slot) !== null;
  }

  int64(slot: number): number {
    const at = this.#position(slot);
    return at === null ? 0 : this.#buffer.int64(at);
  }

  int16(slot: number): number {
    const at = this.#position(slot);
    return at === null ? 0 : this.#buffer.int16(at);
  }

  uint8(slot: number): number {
    const at = this.#position(slot);
    return at === null ? 0 : this.#buffer.uint8(at);
  }

  table(slot: number): Table | null {
    const at = this.#position(slot);
    return at === null ? null : new Table(this.#buffer, this.#buffer.follow(at));
  }

  /** Returns a vector of structs or scalars of `elementBytes` each; empty if the field is missing. */
  vector(slot: number, elementBytes: number, most: number, what: string): Vector {
    const at = this.#position(slot);
    return at === null ? nothing : this.#buffer.vector(at, elementBytes, most, what);
  }

  tables(slot: number, most: number, what: string): Table[] {
    const { first, length } = this.vector(slot, 4, most, what);
    return Array.from({ length }, (_, index) => new Table(this.#buffer, this.#buffer.follow(first + 4 * index)));
  }

  /** Returns the first 64-bit integer of each struct in a vector. */
  structs(slot: number, elementBytes: number, most: number, what: string): number[] {
    const { first, length } = this.vector(slot, elementBytes, most, what);
    return Array.from({ length }, (_, index) => this.#buffer.int64(first + elementBytes * index));
  }

  /** Returns a vector of structs of two 64-bit integers. */
  pairs(slot: number, most: number, what: string): [number, number][] {
    const { first, length } = this.vector(slot, 16, most, what);
    return Array.from({ length }, (_, index) => [
      this.#buffer.int64(first + 16 * index),
      this.#buffer.int64(first + 16 * index + 8),
    ]);
  }

  /** Throws if the strings are longer than the buffer that contains them. */
  checkString(slot: number): void {
    const at = this.#position(slot);
    if (at !== null) this.#buffer.checkString(at);
  }

  /** Returns an empty text if the field is missing. */
  string(slot: number): string {
    const at = this.#position(slot);
    return at === null ? '' : this.#buffer.string(at);
  }

  #position(slot: number): number | null {
    if (slot >= this.#slots) return null;
    const offset = this.#buffer.int16(this.#vtable + 4 + 2 * slot);
    return offset === 0 ? null : this.#at + offset;
  }
}
