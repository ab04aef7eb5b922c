/** Databases damaged like those of a bad disk, a broken copy or an attacker. */
import type { Random } from '../support/random.ts';

/** Returns the bytes with one to four damages in pages of this size. */
export function damagedDatabase(whole: Uint8Array, pageBytes: number, random: Random): Uint8Array {
  let bytes = Uint8Array.from(whole);
  const upTo = (count: number): number => random.below(count);
  const page = (): number => upTo(Math.floor(bytes.length / pageBytes)) * pageBytes;
  const damages = [
    () => {
      bytes = bytes.slice(0, upTo(bytes.length));
    },
    () =>
      bytes.set(
        Uint8Array.from({ length: 1 + upTo(64) }, () => upTo(256)),
        upTo(bytes.length - 64),
      ),
    // The header of a page: its kind, its number of cells, their place.
    () =>
      bytes.set(
        Uint8Array.from({ length: 1 + upTo(12) }, () => upTo(256)),
        page(),
      ),
    () => bytes.copyWithin(page(), page(), page()),
    () => bytes.copyWithin(page(), page() % Math.max(1, bytes.length - pageBytes), page() + pageBytes),
    () => bytes.fill(upTo(256), page(), page() + pageBytes),
    // The file's own header, without its signature.
    () => bytes.set([upTo(256)], 16 + upTo(84)),
    () => {
      const at = page();
      const other = page();
      const kept = bytes.slice(at, at + pageBytes);
      bytes.copyWithin(at, other, other + pageBytes);
      if (other + kept.length <= bytes.length) bytes.set(kept, other);
    },
  ];
  for (let count = 1 + upTo(4); count > 0; count -= 1) {
    if (bytes.length > 4 * pageBytes) damages[upTo(damages.length)]?.();
  }
  return bytes;
}
