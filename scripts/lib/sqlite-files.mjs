/** A vite plugin that puts the library that reads SQLite files, its .wasm and its licence, whole beside the host's bundle. */
import { readFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

const from = (path) => readFileSync(inRoot(`node_modules/node-sqlite3-wasm/${path}`));

/** host/service/imports/sqliteModule.ts loads them from there. Its ending says CommonJS, which the package's own doesn't. */
export const sqliteFiles = () => ({
  name: 'copyscope-sqlite-files',
  buildStart() {
    const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName: `sqlite/${fileName}`, source });
    emit('node-sqlite3-wasm.cjs', from('dist/node-sqlite3-wasm.js'));
    emit('node-sqlite3-wasm.wasm', from('dist/node-sqlite3-wasm.wasm'));
    emit('LICENSE', from('LICENSE'));
  },
});
