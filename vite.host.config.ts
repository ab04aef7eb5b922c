/** Bundles the host: the command line and the engine process, each one file with its dependencies inside. */
import { defineConfig } from 'vite';

export default defineConfig({
  ssr: { target: 'node', noExternal: true },
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'dist/host',
    emptyOutDir: true,
    minify: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: { cli: 'host/cli/main.ts', 'engine-process': 'host/engine/process.ts' },
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
