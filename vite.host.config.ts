/**
 * Bundles the host: the command line and the engine process, each one file with its dependencies inside. The reader of SQLite files lies beside them as it is, for the desktop app too, since it looks for
 * its .wasm next to itself.
 */
import { defineConfig } from 'vite';
import { sqliteFiles } from './scripts/lib/sqlite-files.mjs';

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
