import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

export const repository = join(import.meta.dirname, '../../../..');

export interface BuiltEntry {
  readonly script: string;
  remove(): void;
}

/** Bundles a process's entry into a separate folder with the shipped layout of package.json and assets. */
export async function buildEntry(entry: string): Promise<BuiltEntry> {
  const folder = mkdtempSync(join(repository, 'node_modules/.copyscope-test-'));
  await build({
    root: repository,
    configFile: false,
    logLevel: 'error',
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: folder,
      minify: false,
      rolldownOptions: {
        input: { entry },
        external: [/\.node$/],
        // One file, which tests copy.
        output: { entryFileNames: '[name].mjs', codeSplitting: false },
      },
    },
  });
  return { script: join(folder, 'entry.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
