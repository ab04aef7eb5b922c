/** The library that reads SQLite files: SQLite itself as WebAssembly, so that nothing native is needed for it. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { programFolder } from '../../paths.ts';

export interface SqliteModule {
  readonly Database: typeof Database;
}

const require = createRequire(import.meta.url);

/** The build puts it whole beside the host (scripts/lib/sqlite-files.mjs): it looks for its .wasm next to itself. */
function sqliteFile(): string {
  const built = join(programFolder(import.meta.dirname), 'dist/host/sqlite/node-sqlite3-wasm.cjs');
  return existsSync(built) ? built : require.resolve('node-sqlite3-wasm');
}

let kept: SqliteModule | null = null;

/** An instance: the one that is kept, whose code is warm, or a new one. */
export function sqliteModule(): SqliteModule {
  kept ??= instance();
  return kept;
}

/** The next file gets a new instance: this one is broken, or holds memory that it never gives back. */
export function dropSqliteModule(): void {
  kept = null;
}

function instance(): SqliteModule {
  const file = sqliteFile();
  try {
    return require(file) as SqliteModule;
  } finally {
    delete require.cache[file];
  }
}
