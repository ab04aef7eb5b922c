import { build } from 'vite';
import { root } from '../../scripts/lib/paths.mjs';

/** Bundles scripts of the tests for Node: `input` by name, into `outDir`. Keeps other files there. */
export const bundle = (input, outDir) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input,
        external: [/\.node$/],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
