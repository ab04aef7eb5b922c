/**
 * Bundles the host: the command line and the engine process, each one file with its dependencies inside. The reader of SQLite files lies beside them as it is, for the desktop app too, since it looks for
 * its .wasm next to itself.
 */

import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';
import { inRoot } from './scripts/lib/paths.mjs';

/** A vite plugin that puts the library that reads SQLite files, its .wasm and its licence, whole beside the host's bundle. */
const from = (path: string) => readFileSync(inRoot(`node_modules/node-sqlite3-wasm/${path}`));

/** host/library/imports/sqliteModule.ts loads them from there. Its ending says CommonJS, which the package's own doesn't. */
const sqliteFiles = (): Plugin => ({
  name: 'copyscope-sqlite-files',
  buildStart() {
    const emit = (fileName: string, source: Buffer) =>
      this.emitFile({ type: 'asset', fileName: `sqlite/${fileName}`, source });
    emit('node-sqlite3-wasm.cjs', from('dist/node-sqlite3-wasm.js'));
    emit('node-sqlite3-wasm.wasm', from('dist/node-sqlite3-wasm.wasm'));
    emit('LICENSE', from('LICENSE'));
  },
});

export default defineConfig({
  plugins: [sqliteFiles()],
  ssr: { target: 'node', noExternal: true },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    target: 'node20',
    outDir: 'dist/host',
    emptyOutDir: true,
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: {
        cli: 'host/cli/main.ts',
        'engine-process': 'host/engine/process.ts',
      },
      // Only the addon, and what ws looks for and does without.
      external: [/\.node$/, 'bufferutil', 'utf-8-validate'],
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
      },
    },
  },
});
