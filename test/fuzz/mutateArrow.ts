/**
 * Changes Arrow files with knowledge of the format: one to four wrong values about tables, columns, dictionaries and
 * buffers (File.fbs, Schema.fbs, Message.fbs).
 */
import type { Random } from '../unit/support/random.ts';

/** A number in the file. */
interface Spot {
  readonly at: number;
  readonly bytes: 1 | 2 | 4 | 8;
}

/** The data of a buffer, from byte `at` on. */
interface Body {
  readonly at: number;
  readonly length: number;
}

interface Layout {
  readonly spots: Spot[];
  readonly bodies: Body[];
  /** Positions of the reference to the footer's list of record batches, and of the footer. */
  readonly batches: number | null;
  readonly footer: number;
  /** Positions of the tables that describe a record batch, with the end of their messages. */
  readonly headers: { readonly at: number; readonly end: number; readonly block: number }[];
}

const tailBytes = 10;
const blockBytes = 24;

const known = new WeakMap<Uint8Array, Layout>();

/** Returns the positions in a whole file. */
function layoutOf(file: Uint8Array): Layout {
  const found = known.get(file) ?? readLayout(file);
  known.set(file, found);
  return found;
}

function readLayout(file: Uint8Array): Layout {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const footer = file.length - tailBytes - view.getInt32(file.length - tailBytes, true);
  const spots: Spot[] = [];
  const [bodies, headers]: [Body[], Layout['headers'][number][]] = [[], []];
  const spot = (at: number | null, bytes: Spot['bytes']): void => {
    if (at !== null) spots.push({ at, bytes });
  };
  const follow = (at: number): number => at + view.getUint32(at, true);
  /** Returns the positions of a table's members. The table's own references become spots too. */
  const table = (at: number): ((slot: number) => number | null) => {
    const vtable = at - view.getInt32(at, true);
    const slots = (view.getUint16(vtable, true) - 4) / 2;
    spot(at, 4);
    spot(vtable, 2);
    for (let slot = 0; slot < slots; slot += 1) spot(vtable + 4 + 2 * slot, 2);
    return (slot) => {
      const offset = slot < slots ? view.getUint16(vtable + 4 + 2 * slot, true) : 0;
      return offset === 0 ? null : at + offset;
    };
  };
  const inner = (at: number | null): ((slot: number) => number | null) => {
    if (at === null) return () => null;
    spot(at, 4);
    return table(follow(at));
  };
  const vector = (at: number | null): { first: number; length: number } => {
    if (at === null) return { first: 0, length: 0 };
    spot(at, 4);
    spot(follow(at), 4);
    return { first: follow(at) + 4, length: view.getInt32(follow(at), true) };
  };
  const metadata = (at: number | null): void => {
    const { first, length } = vector(at);
    for (let index = 0; index < length; index += 1) {
      const entry = inner(first + 4 * index);
      for (const slot of [0, 1]) vector(entry(slot));
    }
  };
  const schema = (of: (slot: number) => number | null): void => {
    spot(of(0), 2);
    metadata(of(2));
    const { first, length } = vector(of(1));
    for (let index = 0; index < length; index += 1) {
      const field = inner(first + 4 * index);
      vector(field(0));
      spot(field(1), 1);
      spot(field(2), 1);
      const type = inner(field(3));
      for (const slot of [0, 1, 2]) spot(type(slot), 1);
      const dictionary = inner(field(4));
      spot(dictionary(0), 8);
      const indices = inner(dictionary(1));
      spot(indices(0), 4);
      spot(indices(1), 1);
      spot(dictionary(2), 1);
      vector(field(5));
      metadata(field(6));
    }
  };
  const message = (block: number): void => {
    const at = Number(view.getBigInt64(block, true));
    for (const [place, bytes] of [
      [block, 8],
      [block + 8, 4],
      [block + 16, 8],
      [at, 4],
      [at + 4, 4],
    ] as const) {
      spot(place, bytes);
    }
    const end = at + 8 + view.getInt32(at + 4, true);
    const whole = inner(at + 8);
    const kind = whole(1);
    spot(whole(0), 2);
    spot(kind, 1);
    spot(whole(3), 8);
    let header = inner(whole(2));
    let place = follow(whole(2) ?? at);
    if (kind !== null && view.getUint8(kind) === 2) {
      spot(header(0), 8);
      spot(header(2), 1);
      place = follow(header(1) ?? at);
      header = inner(header(1));
    } else headers.push({ at: place, end, block });
    spot(header(0), 8);
    const nodes = vector(header(1));
    for (let index = 0; index < 2 * nodes.length; index += 1) spot(nodes.first + 8 * index, 8);
    const buffers = vector(header(2));
    for (let index = 0; index < buffers.length; index += 1) {
      const [offset, length] = [buffers.first + 16 * index, buffers.first + 16 * index + 8];
      spot(offset, 8);
      spot(length, 8);
      bodies.push({ at: end + Number(view.getBigInt64(offset, true)), length: Number(view.getBigInt64(length, true)) });
    }
  };
  spot(file.length - tailBytes, 4);
  const root = inner(footer);
  schema(inner(root(1)));
  for (const slot of [2, 3]) {
    const { first, length } = vector(root(slot));
    for (let index = 0; index < length; index += 1) message(first + blockBytes * index);
  }
  return { spots, bodies: bodies.filter(({ length }) => length > 0), batches: root(3), footer, headers };
}

const numbers = [
  0,
  1,
  -1,
  2,
  7,
  8,
  24,
  127,
  255,
  4096,
  65_535,
  2 ** 20,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53,
];

function readAt(view: DataView, { at, bytes }: Spot): bigint {
  if (bytes === 8) return view.getBigInt64(at, true);
  return BigInt(bytes === 4 ? view.getInt32(at, true) : bytes === 2 ? view.getInt16(at, true) : view.getInt8(at));
}

function writeAt(view: DataView, { at, bytes }: Spot, value: bigint): void {
  if (bytes === 8) view.setBigInt64(at, BigInt.asIntN(64, value), true);
  else if (bytes === 4) view.setInt32(at, Number(BigInt.asIntN(32, value)), true);
  else if (bytes === 2) view.setInt16(at, Number(BigInt.asIntN(16, value)), true);
  else view.setInt8(at, Number(BigInt.asIntN(8, value)));
}

function wounded(file: Uint8Array, random: Random): Uint8Array {
  const bytes = Uint8Array.from(file);
  const view = new DataView(bytes.buffer);
  const { spots, bodies } = layoutOf(file);
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    if (random.chance(0.25) && bodies.length > 0) {
      // Codes, offsets of strings, strings, and bits of empty rows.
      const { at, length } = random.pick(bodies);
      const size = random.pick([1, 4, 4, 8] as const);
      if (length < size) continue;
      const place = at + size * random.below(Math.floor(length / size));
      writeAt(
        view,
        { at: place, bytes: size },
        BigInt(random.pick([...numbers, length, length + 1, Number.MIN_SAFE_INTEGER])),
      );
      continue;
    }
    const spot = random.pick(spots);
    const old = readAt(view, spot);
    const another = random.pick(spots.filter(({ bytes: size }) => size === spot.bytes));
    const value = random.pick([
      () => BigInt(random.pick(numbers)),
      () => old + BigInt(random.pick([-8, -4, -1, 1, 4, 8, 64])),
      () => readAt(view, another),
      () => BigInt(file.length + random.pick([-8, 0, 8])),
      // A reference to the target of another one.
      () => BigInt(another.at - spot.at) + readAt(view, another),
    ])();
    writeAt(view, spot, value);
  }
  return bytes;
}

/** Returns the file with a list of `times` record batches that are all the first one. */
export function repeatedBatches(file: Uint8Array, times: number): Uint8Array {
  const { batches, footer } = layoutOf(file);
  if (batches === null) return file;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const first = batches + view.getUint32(batches, true) + 4;
  const end = file.length - tailBytes;
  const padding = (8 - ((end - footer + 4) % 8)) % 8;
  const list = new Uint8Array(padding + 4 + blockBytes * times);
  new DataView(list.buffer).setInt32(padding, times, true);
  for (let index = 0; index < times; index += 1)
    list.set(file.subarray(first, first + blockBytes), padding + 4 + blockBytes * index);
  const made = Uint8Array.from(Buffer.concat([file.subarray(0, end), list, file.subarray(end)]));
  const write = new DataView(made.buffer);
  write.setUint32(batches, end + padding - batches, true);
  write.setInt32(end + list.length, end + list.length - footer, true);
  return made;
}

/** Returns the file with a record batch whose buffers claim to be compressed. */
function compressed(file: Uint8Array, random: Random): Uint8Array {
  const { headers, footer } = layoutOf(file);
  const { at, end, block } = random.pick(headers);
  const bytes = new Uint8Array(32);
  const added = new DataView(bytes.buffer);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const vtable = at - view.getInt32(at, true);
  // A new table of slots with a fourth one, which points to an empty table.
  const slots = [14, view.getUint16(vtable + 2, true), 0, 0, 0, end + 16 - at, 0];
  for (const slot of [0, 1, 2]) slots[2 + slot] = view.getUint16(vtable + 4 + 2 * slot, true);
  for (const [index, value] of slots.entries()) added.setUint16(2 * index, value, true);
  added.setUint32(16, 8, true);
  added.setUint16(20, 4, true);
  added.setUint16(22, 4, true);
  added.setInt32(24, 4, true);
  const made = Uint8Array.from(Buffer.concat([file.subarray(0, end), bytes, file.subarray(end)]));
  const write = new DataView(made.buffer);
  write.setInt32(at, at - end, true);
  const start = Number(view.getBigInt64(block, true));
  write.setInt32(start + 4, view.getInt32(start + 4, true) + bytes.length, true);
  const moved = block >= footer ? block + bytes.length : block;
  write.setInt32(moved + 8, view.getInt32(block + 8, true) + bytes.length, true);
  return made;
}

export function mutatedArrow(file: Uint8Array, random: Random): Uint8Array {
  const kind = random.below(20);
  if (kind === 0) return repeatedBatches(file, 1 + random.below(random.pick([3, 300, 4096])));
  if (kind === 1) return compressed(file, random);
  return wounded(file, random);
}
