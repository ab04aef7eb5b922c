/**
 * Estimates what decoding a MessagePack frame takes, before it is decoded. A frame of 25,000 bytes can announce lists
 * of gigabytes, and one of 10 MB can contain millions of empty objects.
 */

/** Limit of values and keys in one frame. An experiment of 200,000 operations has 2.6 million. */
const maxEntries = 2_700_000;
const maxDepth = 200;
/** Limit for the decoded values, estimated from V8's maximum use. */
const maxMemoryBytes = 176 * 1024 * 1024;
/** Number of recent key sets for which V8 keeps objects small. */
const maxShapes = 1000;
/** Objects with more keys than this are hash tables. */
const maxFastKeys = 12;

/** Estimated bytes of a value besides the eight in its list or object; more for values that decode slowly. */
const cost = { small: 0, number: 16, text: 80, bytes: 512, ext: 1024, list: 128, object: 112 };
/** Estimated bytes of a key of an object. */
const keyCost = { known: 16, hashed: 800, newShape: 800 };
const kinds = ['small', 'number', 'text', 'bytes', 'ext', 'list', 'object', 'unknown'] as const;
type Kind = (typeof kinds)[number];
const codes = Object.fromEntries(kinds.map((kind, code) => [kind, code])) as Readonly<Record<Kind, number>>;

/** Throws an Error that says what is wrong, or which limit is exceeded. Its own memory doesn't grow with the frame. */
export function checkFrame(frame: Uint8Array): void {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const open: OpenValue[] = [];
  const shapes = new Set<number>();
  let [at, entries, memory] = [0, 0, 0];
  const take = (bytes: number): void => {
    memory += bytes;
    if (memory > maxMemoryBytes) throw new Error(`its values take more than ${maxMemoryBytes} bytes`);
  };
  do {
    const byte = frame[at] ?? noByte;
    const [kind, lengthBytes] = [kindOf[byte] as number, lengthBytesOf[byte] as number];
    if (at + lengthBytes >= view.byteLength) throw new Error('it ends too early');
    if (kind === codes.unknown) throw new Error(`it has the unknown byte ${byte}`);
    /** Number of entries in a list or object, or of bytes in a text, binary value or number. */
    const size = (sizeOf[byte] as number) + lengthAt(view, at + 1, lengthBytes);
    at += 1 + lengthBytes;
    entries += 1;
    if (entries > maxEntries) throw new Error(`it has more than ${maxEntries} values`);
    const isOpen = kind === codes.list || kind === codes.object;
    const end = isOpen ? at : at + size;
    // Each entry has at least one byte.
    if (end > view.byteLength || (isOpen && size > view.byteLength - at)) throw new Error('it ends too early');
    const holder = open.at(-1);
    const isKey = holder?.take(frame, at, end) ?? false;
    // Memory of short keys counts with their object. One character beyond Latin-1 makes a whole text take two bytes
    // each.
    if (!isKey || size > 64) take(8 + (costOf[kind] as number) + (kind === codes.text ? 2 * size : 0));
    at = end;
    if (isOpen) {
      if (open.length === maxDepth) throw new Error(`it nests deeper than ${maxDepth} levels`);
      open.push(new OpenValue(kind === codes.object, size));
    }
    for (let last = open.at(-1); last?.left === 0; last = open.at(-1)) {
      take(last.cost(shapes));
      open.pop();
    }
  } while (open.length > 0);
  if (at < view.byteLength) throw new Error('something follows it');
}

/** A list or object whose entries are being read. */
class OpenValue {
  readonly #keys: number;
  /** Remaining entries; in an object, keys and values. */
  left: number;
  #shape = 0x811c9dc5;

  constructor(isObject: boolean, size: number) {
    this.#keys = isObject ? size : 0;
    this.left = isObject ? 2 * size : size;
  }

  /** Counts an entry whose content is at `from`. Returns whether it is a key. */
  take(frame: Uint8Array, from: number, to: number): boolean {
    const isKey = this.#keys > 0 && this.left % 2 === 0;
    this.left -= 1;
    if (!isKey) return false;
    // FNV-1a over the beginning of the key, and its length.
    for (let at = from; at < Math.min(to, from + 64); at += 1)
      this.#shape = Math.imul(this.#shape ^ (frame[at] ?? 0), 0x01000193);
    this.#shape = Math.imul(this.#shape ^ (to - from), 0x01000193);
    return true;
  }

  /** Returns the memory of its keys. Objects of one shape share them. */
  cost(shapes: Set<number>): number {
    if (this.#keys === 0) return 0;
    if (this.#keys > maxFastKeys) return this.#keys * keyCost.hashed;
    if (shapes.has(this.#shape)) return this.#keys * keyCost.known;
    if (shapes.size < maxShapes) shapes.add(this.#shape);
    return this.#keys * keyCost.newShape;
  }
}

function lengthAt(view: DataView, at: number, bytes: number): number {
  if (bytes === 0) return 0;
  return bytes === 1 ? view.getUint8(at) : bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}

/** By a value's first byte: its kind, the bytes of its length, and an offset added to that length. */
const [kindOf, lengthBytesOf, sizeOf] = [new Uint8Array(256), new Uint8Array(256), new Uint8Array(256)];
const costOf = Float64Array.from(kinds, (kind) => (kind === 'unknown' ? 0 : cost[kind]));
/** The only byte that begins no value. */
const noByte = 0xc1;

function format(byte: number, kind: Kind, lengthBytes: number, size: number): void {
  kindOf[byte] = codes[kind];
  lengthBytesOf[byte] = lengthBytes;
  sizeOf[byte] = size;
}

for (let low = 0; low < 16; low += 1) {
  format(0x80 + low, 'object', 0, low);
  format(0x90 + low, 'list', 0, low);
  format(0xa0 + low, 'text', 0, low);
  format(0xb0 + low, 'text', 0, 16 + low);
}
format(noByte, 'unknown', 0, 0);
for (const [power, bytes] of [1, 2, 4].entries()) {
  format(0xc4 + power, 'bytes', bytes, 0);
  format(0xc7 + power, 'ext', bytes, 1);
  format(0xd9 + power, 'text', bytes, 0);
  if (power === 0) continue;
  format(0xdb + power, 'list', bytes, 0);
  format(0xdd + power, 'object', bytes, 0);
}
for (const [power, bytes] of [1, 2, 4, 8, 16].entries()) format(0xd4 + power, 'ext', 0, bytes + 1);
for (const [power, bytes] of [4, 8, 1, 2, 4, 8, 1, 2, 4, 8].entries()) format(0xca + power, 'number', 0, bytes);
