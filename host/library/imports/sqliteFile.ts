/**
 * An SQLite file from elsewhere, which may be damaged or hostile. It is opened read-only, and only whole plain tables
 * are read, one after another: no view, virtual table, generated column, index, trigger or condition of the file is
 * ever evaluated, so that each step handles one row. The file's size limits the amount read.
 */

import { constants } from 'node:fs';
import { chmod, copyFile, open, rename, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Database as SqliteDatabase } from 'node-sqlite3-wasm';
import type { Cells, Database } from '../../../core/import/nsight/database.ts';
import { inPrivateFolder } from '../../files/temporaryFolder.ts';
import { dropSqliteModule, sqliteModule } from './sqliteModule.ts';

/** Minimum bytes of a row: its place in the page, its sizes and its number. */
const leastRowBytes = 4;
const spareRows = 1000;
/** In a valid file each byte of a text is read twice at most. */
const mostReadings = 2;
const spareCharacters = 1 << 20;
/** Limit of the file's longest value, which is in memory as a whole. */
const mostKeptBytes = 1 << 28;

/** Resolves or rejects as `use` does, which must not keep the database. Rejects if it can't be opened. */
export async function withSqliteFile<Result>(
  path: string,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { size } = await stat(path);
  const log = await logBeside(path);
  // The library makes a lock next to the file, and SQLite looks there for journals: both stay in the private folder.
  return inPrivateFolder(path, 'file', async (place) => {
    if (await needsWriteAheadLog(place)) await withoutWriteAheadLog(place);
    const sqlite = opened(place);
    try {
      return await use(databaseOf(sqlite, size, log));
    } finally {
      closed(sqlite);
      if (size > mostKeptBytes) dropSqliteModule();
    }
  });
}

/** Position in the header of the write and read versions: 1 for a journal, 2 for a write-ahead log. */
const formatAt = 18;

/** Returns true if there is a write-ahead log, with which the library can't open files. Nsight Systems makes none. */
async function needsWriteAheadLog(place: string): Promise<boolean> {
  const file = await open(place, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, formatAt);
    return buffer[0] === 2 || buffer[1] === 2;
  } finally {
    await file.close();
  }
}

/** Replaces the file by a copy whose header names no log. Data in a log next to the file is not read. */
async function withoutWriteAheadLog(place: string): Promise<void> {
  const copy = `${place}.copy`;
  await copyFile(place, copy);
  await rename(copy, place);
  await chmod(place, 0o600);
  const file = await open(place, 'r+');
  try {
    await file.write(Uint8Array.of(1, 1), 0, 2, formatAt);
  } finally {
    await file.close();
  }
}

function opened(place: string): SqliteDatabase {
  const { Database: Sqlite } = sqliteModule();
  try {
    return new Sqlite(place, { readOnly: true });
  } catch (cause) {
    throw new Error('SQLite could not open it', { cause });
  }
}

function closed(sqlite: SqliteDatabase): void {
  try {
    sqlite.close();
  } catch (thrown) {
    noted(thrown);
  }
}

/** Drops the module after an error that isn't SQLite's own: it has run out of memory, or left its bounds. */
function noted(thrown: unknown): void {
  if ((thrown as Error).name !== 'SQLite3Error') dropSqliteModule();
}

/** Returns the name of a file next to the database that holds changes to it; null if there is none. */
async function logBeside(path: string): Promise<string | null> {
  for (const log of [`${path}-wal`, `${path}-journal`]) {
    // An applied journal is left empty or with zeros at its head.
    const head = await readFirst(log).catch(() => 0);
    if (head !== 0) return basename(log);
  }
  return null;
}

/** Returns the first byte of a file; 0 if it is empty. */
async function readFirst(path: string): Promise<number> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return (await file.read(Buffer.alloc(1), 0, 1, 0)).buffer[0] ?? 0;
  } finally {
    await file.close();
  }
}

function databaseOf(sqlite: SqliteDatabase, fileBytes: number, log: string | null): Database {
  sqlite.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  const budget = {
    rows: fileBytes / leastRowBytes + spareRows,
    characters: mostReadings * fileBytes + spareCharacters,
  };
  let definitions: readonly Definition[];
  let damage = log === null ? null : `${log} next to the database has changes to it that are not read`;
  try {
    definitions = definitionsOf(sqlite, budget);
  } catch {
    // Makes SQLite read the existing part of a truncated file, and skip invalid tables.
    sqlite.exec('PRAGMA writable_schema = ON');
    definitions = definitionsOf(sqlite, budget);
    damage = 'the database is not whole: it breaks off, or its header is damaged';
    if (definitions.some(({ sql }) => !harmless.test(sql)))
      throw new Error('it is damaged where its tables are defined');
  }
  return {
    tables: new Set(definitions.filter(definesTable).map(({ name }) => name)),
    others: new Set(definitions.filter((one) => isRelation(one) && !definesTable(one)).map(({ name }) => name)),
    damage,
    columns: (table) => columnsOf(sqlite, table),
    rows: (table, columns) => selectAll(sqlite, table, columns, budget),
  };
}

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

const definitionsOf = (sqlite: SqliteDatabase, budget: Budget): Definition[] =>
  [...selectAll(sqlite, 'sqlite_schema', ['type', 'name', 'sql'], budget)].map(({ type, name, sql }) => ({
    type: typeof type === 'string' ? type : '',
    name: typeof name === 'string' ? name : '',
    sql: typeof sql === 'string' ? sql : '',
  }));

/** If a definition was skipped, another one of its name counts, which must not be a view's. */
const harmless = /^(CREATE TABLE |CREATE (UNIQUE )?INDEX |$)/;

const isRelation = ({ type }: Definition): boolean => type !== 'index' && type !== 'trigger';

/** Takes the name from the statement itself, since the column next to it in a hostile file may lie. */
function definesTable({ name, sql }: Definition): boolean {
  const words = /^CREATE TABLE\s+(?:"((?:[^"]|"")+)"|([A-Za-z_][A-Za-z0-9_]*))/.exec(sql);
  return name !== '' && (words?.[1]?.replaceAll('""', '"') ?? words?.[2]) === name;
}

/** Returns the columns without generated ones, which table_info leaves out. */
const columnsOf = (sqlite: SqliteDatabase, table: string): string[] =>
  sqlite.all(`PRAGMA table_info(${quoted(table)})`).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

class TooMuch extends Error {
  constructor() {
    super('it has more than a file of its size can');
  }
}

interface Budget {
  rows: number;
  characters: number;
}

function* selectAll(
  sqlite: SqliteDatabase,
  table: string,
  columns: readonly string[],
  budget: Budget,
): Generator<Cells> {
  // Ignores the file's indices, which may lie.
  const sql = `SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(table)} NOT INDEXED`;
  requirePlainScan(sqlite, sql);
  const statement = sqlite.prepare(sql);
  try {
    for (const row of statement.iterate() as IterableIterator<Cells>) {
      budget.rows -= 1;
      for (const column of columns) {
        const cell = row[column];
        if (typeof cell === 'string' || cell instanceof Uint8Array) budget.characters -= cell.length;
      }
      if (budget.rows < 0 || budget.characters < 0) throw new TooMuch();
      yield row;
    }
  } catch (thrown) {
    if (!(thrown instanceof TooMuch)) noted(thrown);
    throw thrown;
  } finally {
    finalized(statement);
  }
}

/** Opcodes of reading all rows of a plain table. Anything that a file puts in a table's place needs others. */
const scanSteps = new Set(
  'Init Transaction OpenRead Explain Rewind Column Rowid RealAffinity Null Noop ResultRow Next Halt Goto'.split(' '),
);

/** Throws if a statement would do anything but read a table row by row. */
function requirePlainScan(sqlite: SqliteDatabase, sql: string): void {
  const other = sqlite.all(`EXPLAIN ${sql}`).find(({ opcode }) => !scanSteps.has(String(opcode)));
  if (other !== undefined) throw new Error('it is no plain table');
}

/** Finalizing repeats the error of the last step, which has been handled. */
function finalized(statement: ReturnType<SqliteDatabase['prepare']>): void {
  try {
    statement.finalize();
  } catch (thrown) {
    noted(thrown);
  }
}
