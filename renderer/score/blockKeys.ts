/**
 * What tells a block from the others while a document is edited. Numbers won't do: where an operation is put in, all those
 * behind it have other ones, and every block would be drawn anew in the place of its neighbour.
 */
import { useRef } from 'react';
import { changedPart } from '../../core/experiment/edit/changedPart.ts';
import type { Operation } from '../../core/experiment/operations.ts';
import type { ScoreBlock } from './scoreLayout.ts';

/** The key of each block, by its position. */
type BlockKeys = readonly number[];

/** Keys for one moment of a document after another. */
export class BlockKeeper {
  #blocks: readonly ScoreBlock[] = [];
  #keys: BlockKeys = [];
  #next = 0;

  /**
   * Edits share what they leave as it is, so an operation that is still there is the same object, and keeps its key.
   * Among the others, where as many are left, one keeps the key of the one that stood in its place: it was changed.
   */
  keysOf(blocks: readonly ScoreBlock[]): BlockKeys {
    if (blocks === this.#blocks) return this.#keys;
    const [before, known] = [this.#blocks, this.#keys];
    const { start, endBefore, endAfter } = changedPart(before, blocks, isSame);
    const middle = this.#between(
      before.slice(start, endBefore),
      known.slice(start, endBefore),
      blocks.slice(start, endAfter),
    );
    this.#blocks = blocks;
    this.#keys = [...known.slice(0, start), ...middle, ...known.slice(endBefore)];
    return this.#keys;
  }

  #between(before: readonly ScoreBlock[], known: BlockKeys, now: readonly ScoreBlock[]): number[] {
    const free = new Map<Operation, number>();
    before.forEach(({ operation }, at) => {
      free.set(operation, known[at] as number);
    });
    const found = now.map(({ operation }) => {
      const key = free.get(operation);
      free.delete(operation);
      return key;
    });
    const isAlike = before.length === now.length;
    return found.map((key, at) => {
      if (key !== undefined) return key;
      const old = before[at]?.operation;
      const own = isAlike && old !== undefined ? free.get(old) : undefined;
      if (own !== undefined && old !== undefined) free.delete(old);
      return own ?? this.#fresh();
    });
  }

  #fresh(): number {
    this.#next += 1;
    return this.#next;
  }
}

const isSame = (a: ScoreBlock, b: ScoreBlock): boolean => a.operation === b.operation;

export function useBlockKeys(blocks: readonly ScoreBlock[]): BlockKeys {
  const keeper = useRef<BlockKeeper | null>(null);
  keeper.current ??= new BlockKeeper();
  return keeper.current.keysOf(blocks);
}
