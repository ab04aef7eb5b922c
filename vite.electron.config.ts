/** Bundles the main process (mode "main", ESM) and the preload script (mode "preload", CommonJS, as the sandbox wants). */
import { defineConfig } from 'vite';

export default defineConfig(({ mode }) => {
  const isPreload = mode === 'preload';
  return {
    publicDir: false,
    // Everything but Electron itself is bundled, so that a package holds no node_modules.
    ssr: { noExternal: true, external: ['electron'], target: 'node' },
    build: {
      ssr: isPreload ? 'electron/preload.ts' : 'electron/main.ts',
      outDir: 'dist/electron',
      emptyOutDir: !isPreload,
      target: 'node22',
      minify: false,
      sourcemap: false,
      license: isPreload ? false : { fileName: 'licenses.md' },
      rollupOptions: {
        output: isPreload
          ? { format: 'cjs', entryFileNames: 'preload.cjs' }
          : { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  };
});
