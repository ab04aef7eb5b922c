/**
 * Texts of a file, each stored once and compared by bytes, so that a name of a million events is decoded once. Ids
 * count from 0 in order of appearance.
 */
import { newTextDecoder } from './platform.ts';

const backslash = 0x5c;

export class TextTable {
  readonly #decoder = newTextDecoder();
  /** All texts one after another; text i is from offsets[i] up to offsets[i + 1]. */
  #arena = new Uint8Array(1 << 16);
  #offsets = new Float64Array(1 << 10);
  #hashes = new Int32Array(1 << 10);
  /** Hash table with open addressing: id + 1, or 0. */
  #slots = new Int32Array(1 << 11);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** Returns the id of the text in bytes[from … to), as between the quotes of a JSON string. */
  id(bytes: Uint8Array, from: number, to: number): number {
    let hash = to - from;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const known = (this.#slots[slot] ?? 0) - 1;
      if (known < 0) return this.#add(bytes, from, to, hash, slot);
      if (this.#hashes[known] === hash && this.#equals(known, bytes, from, to)) return known;
      slot = (slot + 1) & mask;
    }
  }

  /** Returns the id of an ASCII text of our own, without quotes or backslashes. */
  own(text: string): number {
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return this.id(bytes, 0, bytes.length);
  }

  /** Returns the text, with JSON's escapes resolved and invalid UTF-8 replaced. */
  text(id: number): string {
    const raw = this.#arena.subarray(this.#offsets[id] ?? 0, this.#offsets[id + 1] ?? 0);
    const text = this.#decoder.decode(raw);
    return raw.includes(backslash) ? unescaped(text) : text;
  }

  #equals(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#offsets[id] ?? 0;
    const length = to - from;
    if ((this.#offsets[id + 1] ?? 0) - start !== length) return false;
    const arena = this.#arena;
    for (let at = 0; at < length; at += 1) if (arena[start + at] !== bytes[from + at]) return false;
    return true;
  }

  #add(bytes: Uint8Array, from: number, to: number, hash: number, slot: number): number {
    const id = this.#count;
    const start = this.#offsets[id] ?? 0;
    const end = start + to - from;
    if (end > this.#arena.length) this.#arena = larger(this.#arena, Math.max(end, this.#arena.length * 2));
    this.#arena.set(bytes.subarray(from, to), start);
    if (id + 2 > this.#offsets.length) {
      this.#offsets = larger(this.#offsets, this.#offsets.length * 2);
      this.#hashes = larger(this.#hashes, this.#hashes.length * 2);
    }
    this.#offsets[id + 1] = end;
    this.#hashes[id] = hash;
    this.#slots[slot] = id + 1;
    this.#count = id + 1;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#count; id += 1) {
      let slot = (this.#hashes[id] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}

/** Resolves the escapes of a JSON string. */
export function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    // Returns the text unchanged if it has an invalid escape, such as in a Windows path written by hand.
    return raw;
  }
}

export function larger<Column extends Uint8Array | Int32Array | Float64Array>(column: Column, length: number): Column {
  const grown = new (column.constructor as new (length: number) => Column)(length);
  grown.set(column);
  return grown;
}
