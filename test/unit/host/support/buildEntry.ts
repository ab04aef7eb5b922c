import { join } from 'node:path';
import { build } from 'vite';
import { newFolder } from '../../../support/newFolder.ts';

export const repository = join(import.meta.dirname, '../../../..');

/**
 * Bundles a process's entry into a separate folder with the shipped layout of package.json and assets. Returns its path.
 */
export async function buildEntry(entry: string): Promise<string> {
  const folder = newFolder(join(repository, 'node_modules/.copyscope-test-'));
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
  return join(folder, 'entry.mjs');
}
