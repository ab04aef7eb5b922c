/** Damages binary files like a bad disk or an attacker: wrong lengths, offsets and counts. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Random } from '../unit/support/random.ts';

const words = [0, 1, 7, 8, 255, 65_535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

const randomBytes = (most: number, random: Random): Uint8Array =>
  Uint8Array.from({ length: 1 + random.below(most) }, () => random.below(256));

/** Returns a copy with one to four damages. */
export function mutatedBytes(whole: Uint8Array, random: Random): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(whole);
  for (let count = 1 + random.below(4); count > 0 && bytes.length > 16; count -= 1) bytes = damaged(bytes, random);
  return bytes;
}

function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  // The beginning and the end of a file contain its type and the places of its parts.
  const at = random.chance(0.4)
    ? random.pick([random.below(64), bytes.length - 1 - random.below(Math.min(1500, bytes.length))])
    : random.below(bytes.length);
  const place = Math.max(0, Math.min(at, bytes.length - 8));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const to = Math.min(bytes.length, at + 1 + random.below(300));
  const joined = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
  switch (random.below(9)) {
    case 0:
      view.setUint8(place, random.below(256));
      break;
    case 1:
      view.setUint32(place & ~3, random.pick(words), true);
      break;
    case 2:
      view.setBigInt64(place & ~7, BigInt(random.pick([-1, 0, 2 ** 31, 2 ** 53, bytes.length])), true);
      break;
    case 3:
      view.setUint32(place & ~3, view.getUint32(place & ~3, true) + random.pick([-8, -4, -1, 1, 4, 8, 64]), true);
      break;
    case 4:
      bytes.set(randomBytes(Math.min(32, bytes.length - place), random).subarray(0, bytes.length - place), place);
      break;
    case 5:
      return bytes.slice(0, at);
    case 6:
      return joined(bytes.subarray(0, at), bytes.subarray(to));
    case 7:
      return joined(bytes.subarray(0, to), bytes.subarray(at));
    default:
      return joined(bytes.subarray(0, at), randomBytes(64, random), bytes.subarray(at));
  }
  return bytes;
}

/** Returns gzipped data that is damaged inside, outside or both, has several members, or expands. */
export function mutatedGzip(whole: Uint8Array, random: Random): Uint8Array {
  switch (random.below(6)) {
    case 0:
      return mutatedBytes(gzipSync(mutatedBytes(gunzipSync(whole), random), { level: 1 }), random);
    case 1:
      return gzipSync(mutatedBytes(gunzipSync(whole), random), { level: 1 });
    case 2:
      return Uint8Array.from(
        Buffer.concat([whole, random.pick([whole, randomBytes(40, random), new Uint8Array(600)])]),
      );
    default:
      // Rarely, since reading eight megabytes takes longer than everything else.
      if (random.chance(0.02)) return Uint8Array.from(Buffer.concat([whole, growing()]));
      return mutatedBytes(whole, random);
  }
}

let grown: Uint8Array | null = null;

/** Returns a few kilobytes that unpack to eight megabytes of blanks. */
function growing(): Uint8Array {
  grown ??= gzipSync(Buffer.alloc(1 << 23, ' '));
  return grown;
}
