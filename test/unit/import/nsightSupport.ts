/** Databases for the tests of Nsight Systems' exports: the recorded ones, and small written ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Run } from '../../../core/trace/run.ts';
import { readNsightFile } from '../../../host/library/imports/nsightFile.ts';
import { sqliteModule } from '../../../host/library/imports/sqliteModule.ts';

export const modifiedAt = new Date('2026-01-02T03:04:05.000Z');

export const recordedBytes = (name: string): Uint8Array =>
  brotliDecompressSync(readFileSync(join(import.meta.dirname, '../../fixtures/nsight', `${name}.sqlite.br`)));

/** Writes the recorded database to a file of the folder. */
export function recorded(folder: string, name: string): string {
  const path = join(folder, `${name}.sqlite`);
  writeFileSync(path, recordedBytes(name));
  return path;
}

export const read = (path: string): Promise<Run> =>
  readNsightFile(path, { name: 'test', version: '1.2.3', modifiedAt });

/** Returns SQLite's own result for a file. */
export function query(path: string, sql: string): Record<string, number | bigint | string | null | Uint8Array>[] {
  const database = new (sqliteModule().Database)(path, { readOnly: true });
  try {
    return database.all(sql) as Record<string, number | bigint | string | null | Uint8Array>[];
  } finally {
    database.close();
  }
}

let written = 0;

/** Makes a file with these statements. */
export function made(folder: string, sql: string): string {
  const path = join(folder, `made${written++}.sqlite`);
  const database = new (sqliteModule().Database)(path);
  try {
    database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${sql}`);
  } finally {
    database.close();
  }
  return path;
}

export type Value = number | bigint | string | null;
type Rows = readonly Readonly<Record<string, Value>>[];

const literal = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `${value ?? 'NULL'}`;

/** Returns statements for a table with these rows; its columns are those of the first. */
export function table(name: string, rows: Rows): string {
  const columns = Object.keys(rows[0] ?? { id: 0 });
  const values = rows.map((row) => `(${columns.map((column) => literal(row[column] ?? null)).join(', ')})`);
  return `CREATE TABLE ${name} (${columns.map((column) => `"${column}"`).join(', ')});${
    rows.length === 0 ? '' : `INSERT INTO ${name} VALUES ${values.join(', ')};`
  }`;
}

/** Returns the string table of the names, and a function for the id of each. */
export function strings(...names: readonly string[]): { readonly sql: string; readonly id: (name: string) => number } {
  return {
    sql: table(
      'StringIds',
      names.map((value, index) => ({ id: index + 1, value })),
    ),
    id: (name) => names.indexOf(name) + 1,
  };
}

/** Returns Nsight Systems' number of a thread; of a process if `tid` is 0. */
export const globalId = (pid: number, tid = 0): bigint => (1n << 48n) | (BigInt(pid) << 24n) | BigInt(tid);
