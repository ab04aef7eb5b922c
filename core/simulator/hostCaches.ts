/**
 * What host threads have just written lies in the caches of their processors: a copy engine takes longer to fetch it
 * from there, and longer still to write over it.
 */
import type { Program } from '../program/program.ts';
import { filledParts } from './preparation.ts';

/**
 * As much as a processor keeps for itself. On H200 machines copies to the device of up to 1 MB that a thread had just
 * written took twice as long, one of 2 MB 37 us longer, and those of 4 to 16 MB 10 to 28 us longer, which is 0.5 to 1.3 MB.
 */
const cachedBytes = 1_500_000;
/** Regions of a buffer that are kept apart; of more the oldest are forgotten. */
const mostRegions = 64;

/** From `from` to `to` of a buffer, written in one go when its processor had moved `movedBytes` before. */
interface Region {
  readonly from: number;
  readonly to: number;
  readonly processor: number;
  readonly movedBytes: number;
}

export class HostCaches {
  /** Of each buffer, in the order of writing. */
  readonly #regions = new Map<number, Region[]>();
  /** What each processor has read and written in all. */
  readonly #moved = new Map<number, number>();

  /** Each host thread has a processor of its own. */
  wrote(processor: number, buffer: number, offset: number, bytes: number): void {
    const movedBytes = this.#moved.get(processor) ?? 0;
    this.moved(processor, bytes);
    this.overwritten(buffer, offset, bytes);
    const regions = this.#regions.get(buffer) ?? [];
    this.#regions.set(buffer, regions);
    const last = regions.at(-1);
    const goesOn =
      last?.to === offset && last.processor === processor && last.movedBytes + last.to - last.from === movedBytes;
    if (last !== undefined && goesOn) regions[regions.length - 1] = { ...last, to: offset + bytes };
    else regions.push({ from: offset, to: offset + bytes, processor, movedBytes });
    if (regions.length > mostRegions) regions.shift();
  }

  /** A host thread reads or writes what no copy engine looks for: it drives out what lay there before. */
  moved(processor: number, bytes: number): void {
    this.#moved.set(processor, (this.#moved.get(processor) ?? 0) + bytes);
  }

  /** Bytes of a part of a buffer that still lie in caches as they were written, but for those of processor `own`. */
  freshBytes(buffer: number, offset: number, bytes: number, own?: number): number {
    const regions = this.#regions.get(buffer);
    if (regions === undefined) return 0;
    return regions.reduce((sum, { from, to, processor, movedBytes }) => {
      if (processor === own) return sum;
      const goneBytes = (this.#moved.get(processor) ?? 0) - movedBytes - cachedBytes;
      const kept = Math.max(from, from + goneBytes);
      return sum + Math.max(0, Math.min(to, offset + bytes) - Math.max(kept, offset));
    }, 0);
  }

  /** Something else has written there. */
  overwritten(buffer: number, offset: number, bytes: number): void {
    const regions = this.#regions.get(buffer);
    if (regions === undefined) return;
    const rest = regions.flatMap((region) => without(region, offset, offset + bytes));
    if (rest.length === 0) this.#regions.delete(buffer);
    else this.#regions.set(buffer, rest);
  }

  /**
   * As it is once an engine has filled the buffers that the program writes, by threads that the program doesn't have.
   * `all`: page-locked ones too, which engines flush.
   */
  fill(program: Program, all: boolean): void {
    const main = -1;
    let helper = main;
    program.buffers.forEach((buffer, index) => {
      if (buffer.memory !== 'pageable' && !all) return;
      const parts = filledParts(buffer);
      for (const { from, bytes } of parts) {
        if (parts.length > 1) helper -= 1;
        this.wrote(parts.length > 1 ? helper : main, index, from, bytes);
      }
    });
  }
}

function without(region: Region, from: number, to: number): Region[] {
  if (to <= region.from || from >= region.to) return [region];
  const parts = [
    { ...region, to: from },
    { ...region, from: to, movedBytes: region.movedBytes + to - region.from },
  ];
  return parts.filter((part) => part.to > part.from);
}
