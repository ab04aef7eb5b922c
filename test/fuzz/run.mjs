// Bundles the fuzzer and runs it: node test/fuzz/run.mjs [--minutes N] [--seed S] [--kind K [--number N]].
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'dist/fuzz');
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: true,
    target: 'node20',
    outDir: target,
    emptyOutDir: true,
    minify: false,
    rolldownOptions: {
      input: { main: join(import.meta.dirname, 'main.ts'), worker: join(import.meta.dirname, 'worker.ts') },
      external: [/\.node$/],
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
const { status } = spawnSync(process.execPath, [join(target, 'main.js'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
