/**
 * Says what decoding a MessagePack frame would take, before any of it is decoded. A frame of 25,000 bytes can announce lists of
 * gigabytes, and one of 10 MB can hold millions of empty objects.
 */

/** Values and keys of one frame. An experiment of 200,000 operations has 2.6 million. */
const maxEntries = 2_700_000;
const maxDepth = 200;
/** Memory of the decoded values, estimated from what V8 uses at most. */
const maxMemoryBytes = 176 * 1024 * 1024;
/** V8 keeps objects of the same keys small. It knows about so many sets of keys that follow one another. */
const maxShapes = 1000;
/** Objects with more keys than this are hash tables. */
const maxFastKeys = 12;

/** Estimated bytes of one value besides the eight that it has in its list or object. */
const cost = {
  list: 64,
  object: 112,
  knownKey: 16,
  hashedKey: 800,
  newShape: 800,
  text: 80,
  number: 16,
  bytes: 256,
  ext: 512,
};

interface Head {
  /** Bytes of the head itself. */
  readonly bytes: number;
  /** Entries of a list or object, or bytes of a text, of bytes or of a number. */
  readonly size: number;
  readonly kind: 'list' | 'object' | 'text' | 'bytes' | 'ext' | 'number' | 'small';
}

/** Throws an Error that says what is wrong, or what there is too much of. Takes no more memory for a larger frame. */
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
    const { bytes, size, kind } = headAt(view, at);
    at += bytes;
    entries += 1;
    if (entries > maxEntries) throw new Error(`it holds more than ${maxEntries} values`);
    const isOpen = kind === 'list' || kind === 'object';
    const end = isOpen ? at : at + size;
    // Each entry has a byte at least.
    if (end > view.byteLength || (isOpen && size > view.byteLength - at)) throw new Error('it ends too early');
    const holder = open.at(-1);
    const isKey = holder?.take(frame, at, end) ?? false;
    // What short keys take is counted with their object.
    take(isKey && size <= 64 ? 0 : 8 + costOf(kind, size));
    at = end;
    if (isOpen) {
      if (open.length === maxDepth) throw new Error(`it nests deeper than ${maxDepth} levels`);
      open.push(new OpenValue(kind === 'object', size));
    }
    for (let last = open.at(-1); last?.left === 0; last = open.at(-1)) {
      take(last.cost(shapes));
      open.pop();
    }
  } while (open.length > 0);
  if (at < view.byteLength) throw new Error('something follows it');
}

/** A list or object whose entries are being passed. */
class OpenValue {
  readonly #keys: number;
  /** Entries to come; keys and values of an object. */
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

  /** What its keys take. Objects of one shape share them. */
  cost(shapes: Set<number>): number {
    if (this.#keys === 0) return 0;
    if (this.#keys > maxFastKeys) return this.#keys * cost.hashedKey;
    if (shapes.has(this.#shape)) return this.#keys * cost.knownKey;
    if (shapes.size < maxShapes) shapes.add(this.#shape);
    return this.#keys * cost.newShape;
  }
}

function costOf(kind: Head['kind'], size: number): number {
  if (kind === 'small') return 0;
  // One character beyond Latin-1 makes all of them take two bytes.
  if (kind === 'text') return cost.text + 2 * size;
  return cost[kind];
}

function headAt(view: DataView, at: number): Head {
  if (at >= view.byteLength) throw new Error('it ends too early');
  const byte = view.getUint8(at);
  if (byte <= 0x7f || byte >= 0xe0) return small;
  if (byte <= 0x8f) return { bytes: 1, size: byte & 0x0f, kind: 'object' };
  if (byte <= 0x9f) return { bytes: 1, size: byte & 0x0f, kind: 'list' };
  if (byte <= 0xbf) return { bytes: 1, size: byte & 0x1f, kind: 'text' };
  const format = formats[byte - 0xc0];
  if (format === undefined) throw new Error(`it holds the unknown byte ${byte}`);
  const [kind, lengthBytes, size] = format;
  if (at + lengthBytes >= view.byteLength) throw new Error('it ends too early');
  return { bytes: 1 + lengthBytes, size: size + lengthAt(view, at + 1, lengthBytes), kind };
}

function lengthAt(view: DataView, at: number, bytes: number): number {
  if (bytes === 0) return 0;
  return bytes === 1 ? view.getUint8(at) : bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}

const small: Head = { bytes: 1, size: 0, kind: 'small' };

/** From byte 0xc0 on: kind, bytes of the length, and what is added to that. */
const formats: readonly (readonly [kind: Head['kind'], lengthBytes: number, size: number] | undefined)[] = [
  ['small', 0, 0],
  undefined,
  ['small', 0, 0],
  ['small', 0, 0],
  ...lengths('bytes', 0),
  ...lengths('ext', 1),
  ...numbers(4, 8),
  ...numbers(1, 2, 4, 8),
  ...numbers(1, 2, 4, 8),
  ...[1, 2, 4, 8, 16].map((bytes) => ['ext', 0, bytes + 1] as const),
  ...lengths('text', 0),
  ...lengths('list', 0).slice(1),
  ...lengths('object', 0).slice(1),
];

function lengths(kind: Head['kind'], size: number): (readonly [Head['kind'], number, number])[] {
  return [1, 2, 4].map((bytes) => [kind, bytes, size]);
}

function numbers(...bytes: number[]): (readonly [Head['kind'], number, number])[] {
  return bytes.map((size) => ['number', 0, size]);
}
