/**
 * What tells a block from the others while a document is edited. Numbers won't do: where an operation is put in, all those
 * behind it have other ones, and every block would be drawn anew in the place of its neighbour.
 */
import { useRef } from 'react';
import { Renumbering } from '../../core/experiment/edit/renumbering.ts';
import type { Operation } from '../../core/experiment/operations.ts';
import type { ScoreBlock } from './scoreLayout.ts';

/** The key of each block, by its position. */
type BlockKeys = readonly number[];

/** Keys for one moment of a document after another: an operation that is still there, or was changed, keeps its key. */
export class BlockKeeper {
  #blocks: readonly ScoreBlock[] = [];
  #operations: readonly Operation[] = [];
  #keys: BlockKeys = [];
  #next = 0;

  keysOf(blocks: readonly ScoreBlock[]): BlockKeys {
    if (blocks === this.#blocks) return this.#keys;
    const operations = blocks.map(({ operation }) => operation);
    const places = new Renumbering(this.#operations, operations);
    const known = this.#keys;
    this.#keys = operations.map((_, at) => known[places.numberBefore(at) ?? -1] ?? this.#fresh());
    [this.#blocks, this.#operations] = [blocks, operations];
    return this.#keys;
  }

  #fresh(): number {
    this.#next += 1;
    return this.#next;
  }
}

export function useBlockKeys(blocks: readonly ScoreBlock[]): BlockKeys {
  const keeper = useRef<BlockKeeper | null>(null);
  keeper.current ??= new BlockKeeper();
  return keeper.current.keysOf(blocks);
}
