/** Builds the window. Relative addresses, so that the same files work under http, and under Electron's own protocol. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'renderer',
  base: './',
  publicDir: '../assets/icons',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    // These know light-dark(), which the style sheets use; an older target would have it rewritten, and wrongly.
    target: ['chrome125', 'firefox128', 'safari18'],
    // The content security policy allows no inline script, and every browser we open knows modulepreload.
    modulePreload: { polyfill: false },
    // Keeps images in files: the policy allows data: images, but a file is cached.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1600,
  },
});
