/**
 * A database that Nsight Systems exported, as its reader sees it. Which tables and columns there are differs by version
 * and by what was recorded, and a table that would be empty is not made: so both are asked for, never assumed.
 */

/** A value as SQLite stores it: an integer beyond 2^53 is a bigint. Undefined where there is no such column. */
export type Cell = number | bigint | string | Uint8Array | null | undefined;
export type Cells = Readonly<Record<string, Cell>>;

export interface Database {
  /** Names of its tables. */
  readonly tables: ReadonlySet<string>;
  /** Names of what is defined otherwise, as views and virtual tables. Nothing is read from them. */
  readonly others: ReadonlySet<string>;
  /** Names of a table's columns. Throws where the database is damaged there. */
  columns(table: string): readonly string[];
  /** What is wrong with the file as a whole, in words; null where nothing is known to be. */
  readonly damage: string | null;
  /** All rows of a table in the order in which they lie there. Throws where the database is damaged there. */
  rows(table: string, columns: readonly string[]): Iterable<Cells>;
}

/** The tables of this name, and of later versions of it as NAME_V2. */
export function tablesNamed(tables: ReadonlySet<string>, name: string): string[] {
  if (tables.has(name)) return [name, ...versions(tables, name)];
  return versions(tables, name);
}

const versions = (tables: ReadonlySet<string>, name: string): string[] =>
  [...tables].filter((table) => table.startsWith(`${name}_V`) && /^\d{1,3}$/.test(table.slice(name.length + 2)));

/** A whole number that a double holds; NaN for anything else. */
export const wholeOf = (cell: Cell): number =>
  typeof cell === 'number' && Number.isSafeInteger(cell) ? cell : Number.NaN;

const longestText = 1000;

/** Texts of a hostile file may be as long as the file. */
export const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell.slice(0, longestText) : '');

/** Process and thread of Nsight Systems' serialized GlobalId: the thread in bits 0 to 23, its process in 24 to 47. */
export interface GlobalId {
  /** Tells the processes of several machines apart. */
  readonly process: number;
  readonly pid: number;
  readonly tid: number;
}

const idBits = 24n;
const mostKnown = 1 << 16;

/** Takes the ids of a file's rows apart. There are few, each in many rows. */
export class GlobalIds {
  readonly #known = new Map<Cell, GlobalId | null>();

  /** Null where the cell holds none. */
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
  // The machine stands in the highest bits, so that the number may be beyond 2^53, or negative.
  const bits = BigInt.asUintN(64, BigInt(cell));
  return {
    process: Number(bits >> idBits),
    pid: Number(BigInt.asUintN(24, bits >> idBits)),
    tid: Number(BigInt.asUintN(24, bits)),
  };
}
