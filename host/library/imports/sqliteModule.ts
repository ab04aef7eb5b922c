/** The library that reads SQLite files: SQLite itself as WebAssembly, so that no native code is needed. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { programFolder } from '../../paths.ts';

export interface SqliteModule {
  readonly Database: typeof Database;
}

const require = createRequire(import.meta.url);

/** Returns the library's path. The build copies it to dist/host with its .wasm (vite.host.config.ts). */
function sqliteFile(): string {
  const built = join(programFolder(import.meta.dirname), 'dist/host/sqlite/node-sqlite3-wasm.cjs');
  return existsSync(built) ? built : require.resolve('node-sqlite3-wasm');
}

let kept: SqliteModule | null = null;

/** Returns the cached instance, whose code is warm, or a new one. */
export function sqliteModule(): SqliteModule {
  kept ??= instance();
  return kept;
}

/** Makes the next file use a new instance: this one is broken, or holds memory that it never releases. */
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
