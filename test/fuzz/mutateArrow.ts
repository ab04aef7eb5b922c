/**
 * Changes Arrow files with knowledge of the format: one to four wrong values about tables, columns, dictionaries and
 * buffers (File.fbs, Schema.fbs, Message.fbs).
 */
import type { Random } from '../unit/support/random.ts';

/** Bytes of the file from `at` up to `end`. */
interface Region {
  readonly at: number;
  readonly end: number;
}

interface Layout {
  /** Footer and messages: references, tables, and the fields in them. */
  readonly metadata: readonly Region[];
  readonly bodies: readonly Region[];
  /** Positions of the footer, of its reference to the list of record batches, and of that list's entries. */
  readonly footer: number;
  readonly batches: number;
  readonly blocks: readonly number[];
}

const tailBytes = 10;
const blockBytes = 24;

const viewOf = (file: Uint8Array): DataView => new DataView(file.buffer, file.byteOffset, file.byteLength);

/** Returns the position of a table's member, or null. */
function member(view: DataView, table: number, slot: number): number | null {
  const vtable = table - view.getInt32(table, true);
  const offset = 4 + 2 * slot < view.getUint16(vtable, true) ? view.getUint16(vtable + 4 + 2 * slot, true) : 0;
  return offset === 0 ? null : table + offset;
}

const follow = (view: DataView, at: number): number => at + view.getUint32(at, true);

const known = new WeakMap<Uint8Array, Layout>();

function layoutOf(file: Uint8Array): Layout {
  const found = known.get(file) ?? readLayout(file);
  known.set(file, found);
  return found;
}

/** Returns the positions in a whole file. */
function readLayout(file: Uint8Array): Layout {
  const view = viewOf(file);
  const footer = file.length - tailBytes - view.getInt32(file.length - tailBytes, true);
  const root = follow(view, footer);
  const lists = [2, 3].map((slot) => member(view, root, slot) ?? footer);
  const [dictionaries = [], blocks = []] = lists.map((list) => {
    const first = follow(view, list);
    return Array.from({ length: view.getInt32(first, true) }, (_, index) => first + 4 + blockBytes * index);
  });
  const messages = [...dictionaries, ...blocks].map((block) => {
    const at = Number(view.getBigInt64(block, true));
    const end = at + view.getInt32(block + 8, true);
    return { at, end, bodyEnd: end + Number(view.getBigInt64(block + 16, true)) };
  });
  return {
    metadata: [{ at: footer, end: file.length - tailBytes + 4 }, ...messages],
    bodies: messages.map(({ end, bodyEnd }) => ({ at: end, end: bodyEnd })).filter(({ at, end }) => end - at >= 8),
    ...{ footer, batches: lists[1] ?? footer, blocks },
  };
}

/** A number in the file. */
interface Spot {
  readonly at: number;
  readonly bytes: 1 | 2 | 4 | 8;
}

/** Returns any number of a region. References and lengths have 4 bytes, most others of metadata have 2 or 8. */
function spotIn({ at, end }: Region, random: Random): Spot {
  const bytes = random.pick([1, 2, 2, 4, 4, 4, 8] as const);
  return { at: at + bytes * random.below(Math.floor((end - at) / bytes)), bytes };
}

const isText = (bytes: Uint8Array): boolean => bytes.every((byte) => byte >= 0x20 && byte < 0x7f);

/** Returns a number of the metadata that is not in the middle of a text: most of a footer is its description. */
function fieldOf(file: Uint8Array, random: Random): Spot {
  const { metadata } = layoutOf(file);
  const [footer] = metadata;
  for (;;) {
    const region = random.chance(0.4) && footer !== undefined ? footer : random.pick(metadata);
    const spot = spotIn(region, random);
    if (!isText(file.subarray(spot.at, spot.at + 8))) return spot;
  }
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
  const { bodies } = layoutOf(file);
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    if (random.chance(0.25) && bodies.length > 0) {
      // Codes, offsets of strings, strings, and bits of empty rows.
      const region = random.pick(bodies);
      const length = region.end - region.at;
      const value = random.pick([...numbers, length, length + 1, Number.MIN_SAFE_INTEGER]);
      writeAt(view, spotIn(region, random), BigInt(value));
      continue;
    }
    const spot = fieldOf(file, random);
    const old = readAt(view, spot);
    const another = { ...spot, at: fieldOf(file, random).at & -spot.bytes };
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
  const { batches, footer, blocks } = layoutOf(file);
  const [first] = blocks;
  if (first === undefined) return file;
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
  const { blocks, footer } = layoutOf(file);
  const block = random.pick(blocks);
  const bytes = new Uint8Array(32);
  const added = new DataView(bytes.buffer);
  const view = viewOf(file);
  const start = Number(view.getBigInt64(block, true));
  const end = start + 8 + view.getInt32(start + 4, true);
  // The table that describes the record batch.
  const at = follow(view, member(view, follow(view, start + 8), 2) ?? start);
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
