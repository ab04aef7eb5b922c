/**
 * Builds the window, and in the mode "report" the page of reports into the same folder: one HTML file with everything inline,
 * which opens from disk (scripts/lib/report-page.mjs). Relative addresses, so that the same files work under http, and under
 * Electron's own protocol.
 */
import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'vite';
import { reportPage } from './scripts/lib/report-page.mjs';

// These know light-dark(), which the style sheets use; an older target would have it rewritten, and wrongly.
const target = ['chrome125', 'firefox128', 'safari18'];

export default defineConfig(({ mode }) => (mode === 'report' ? report : window));

const window: UserConfig = {
  root: 'renderer',
  base: './',
  publicDir: '../assets/icons',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    target,
    // The content security policy allows no inline script, and every browser we open knows modulepreload.
    modulePreload: { polyfill: false },
    // Keeps images in files: the policy allows data: images, but a file is cached.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1600,
  },
};

const report: UserConfig = {
  publicDir: false,
  plugins: [react(), reportPage({ template: 'renderer/report/page.html', fileName: 'report.html' })],
  build: {
    outDir: 'dist/renderer',
    emptyOutDir: false,
    target,
    // There is no other file that could be loaded ahead.
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2400,
    rolldownOptions: {
      input: 'renderer/report/main.tsx',
      output: { format: 'iife', codeSplitting: false },
    },
  },
};
