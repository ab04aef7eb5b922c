/**
 * A database exported by Nsight Systems, as the reader uses it. Tables and columns differ by version and recording, and
 * empty tables are missing, so the reader queries both and never assumes them.
 */

/** A value as SQLite stores it: an integer beyond 2^53 is a bigint. Undefined if the column is missing. */
export type Cell = number | bigint | string | Uint8Array | null | undefined;
export type Cells = Readonly<Record<string, Cell>>;

export interface Database {
  /** Names of its tables. */
  readonly tables: ReadonlySet<string>;
  /** Names of other objects, such as views and virtual tables, which aren't read. */
  readonly others: ReadonlySet<string>;
  /** Returns the names of a table's columns. Throws if the database is damaged there. */
  columns(table: string): readonly string[];
  /** Describes damage of the whole file; null if none is known. */
  readonly damage: string | null;
  /** Returns all rows of a table in storage order. Throws if the database is damaged there. */
  rows(table: string, columns: readonly string[]): Iterable<Cells>;
}

/** Returns the tables with this name, and later versions of it such as NAME_V2. */
export function tablesNamed(tables: ReadonlySet<string>, name: string): string[] {
  if (tables.has(name)) return [name, ...versions(tables, name)];
  return versions(tables, name);
}

const versions = (tables: ReadonlySet<string>, name: string): string[] =>
  [...tables].filter((table) => table.startsWith(`${name}_V`) && /^\d{1,3}$/.test(table.slice(name.length + 2)));

/** Returns a whole number that a double represents exactly; NaN for anything else. */
export const wholeOf = (cell: Cell): number =>
  typeof cell === 'number' && Number.isSafeInteger(cell) ? cell : Number.NaN;

const longestText = 1000;

/** Limits the length, since texts of a hostile file may be as long as the file. */
export const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell.slice(0, longestText) : '');

/** Process and thread of Nsight Systems' serialized GlobalId: the thread in bits 0 to 23, its process in 24 to 47. */
export interface GlobalId {
  /** Unique across processes of several machines. */
  readonly process: number;
  readonly pid: number;
  readonly tid: number;
}

const idBits = 24n;
const mostKnown = 1 << 16;

/** Decodes and caches ids. There are few, each in many rows. */
export class GlobalIds {
  readonly #known = new Map<Cell, GlobalId | null>();

  /** Returns null if the cell has no id. */
  read(cell: Cell): GlobalId | null {
    const known = this.#known.get(cell);
    if (known !== undefined) return known;
    const id = parts(cell);
    if (this.#known.size < mostKnown) this.#known.set(cell, id);
    return id;
  }
}

function parts(cell: Cell): GlobalId | null {
  if (typeof cell !== 'bigint' && !(typeof cell === 'number' && Number.isSafeInteger(cell))) return null;
  // The machine is in the highest bits, so the number may be beyond 2^53, or negative.
  const bits = BigInt.asUintN(64, BigInt(cell));
  return {
    process: Number(bits >> idBits),
    pid: Number(BigInt.asUintN(24, bits >> idBits)),
    tid: Number(BigInt.asUintN(24, bits)),
  };
}
