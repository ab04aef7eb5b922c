/** Short MessagePack frames with a large content: many empty values, new keys, lists that announce missing entries. */
import type { Random } from './random.ts';

const word = (text: string): number[] => [0xa0 + text.length, ...new TextEncoder().encode(text)];

/** Returns a small value; `index` is its place in the list, for keys that differ. */
type Item = (index: number) => number[];

const leaves: readonly Item[] = [
  () => [0x01],
  () => [0xc0],
  () => [0xcb, 1, 2, 3, 4, 5, 6, 7, 8],
  () => [0xcf, 0, 0, 0, 9, 0, 0, 0, 0],
  () => [0x90],
  () => [0x80],
  () => [0xc4, 0],
  () => [0xd4, 5, 1],
  () => [0xd6, 0xff, 1, 2, 3, 4],
  () => word('a'),
  () => word('twenty and more words'),
  () => word('\u00e9\u4e2d'),
  (index) => word(`k${index}`),
];

function itemOf(random: Random, depth: number): Item {
  if (depth === 0 || random.chance(0.5)) return random.pick(leaves);
  const parts = Array.from({ length: 1 + random.below(random.chance(0.1) ? 15 : 4) }, () => itemOf(random, depth - 1));
  if (random.chance(0.5)) return (index) => [0x90 + parts.length, ...parts.flatMap((part) => part(index))];
  const isNew = random.chance(0.3);
  return (index) => [
    0x80 + parts.length,
    ...parts.flatMap((part, key) => [...word(isNew ? `${key}-${index}` : `key${key}`), ...part(index)]),
  ];
}

/** Returns the head of a list or object with `count` entries. */
const head = (byte: number, count: number): number[] =>
  [byte, count >>> 24, count >>> 16, count >>> 8, count].map((part) => part & 0xff);

/** Returns a frame. Most are small; some have as many bytes as a power of ten. */
export function heavyFrame(random: Random, mostDigits: number): Uint8Array {
  const most = 10 ** (1 + (mostDigits - 1) * random.next() ** 8);
  const levels = random.chance(0.3) ? random.below(random.chance(0.5) ? 8 : 300) : 0;
  const isObject = random.chance(0.2);
  const item = itemOf(random, 3);
  const entry: Item = (index) => [...(isObject ? word(`k${index}`) : []), ...item(index)];
  const isSame = String(entry(0)) === String(entry(1));
  const block = blockOf(entry, isSame ? 1 : 50_000, most);
  const blocks = Math.max(1, Math.round(most / block.bytes.length));
  // Some announce more entries than they have.
  const announced = random.chance(0.1) ? random.below(2 ** 32) : blocks * block.count;
  const outer = random.chance(0.2) ? head(0xdd, random.below(1_000_000)) : [0x91];
  const heads = [...Array.from({ length: levels }, () => outer), head(isObject ? 0xdf : 0xdd, announced)].flat();
  const frame = new Uint8Array(heads.length + blocks * block.bytes.length);
  frame.set(heads);
  for (let at = heads.length; at < frame.length; at += block.bytes.length) frame.set(block.bytes, at);
  return frame;
}

/** Returns the first entries, at most this many entries or bytes. */
function blockOf(entry: Item, mostEntries: number, mostBytes: number): { bytes: Uint8Array; count: number } {
  const bytes: number[] = [];
  let count = 0;
  for (; count < mostEntries && (count === 0 || bytes.length < mostBytes); count += 1) bytes.push(...entry(count));
  return { bytes: Uint8Array.from(bytes), count };
}
