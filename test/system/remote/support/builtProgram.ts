/** The shipped host, built into a separate folder: `copyscope connect` copies it. */
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { repository } from '../../../unit/host/support/buildEntry.ts';

export interface BuiltProgram {
  readonly folder: string;
  readonly engine: string;
  readonly hasAddon: boolean;
  remove(): void;
}

export async function buildProgram(): Promise<BuiltProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-program-'));
  await build({
    root: repository,
    configFile: join(repository, 'vite.host.config.ts'),
    logLevel: 'error',
    build: { outDir: join(folder, 'dist/host'), emptyOutDir: true },
  });
  cpSync(join(repository, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(repository, 'assets'), join(folder, 'assets'));
  const addon = join(repository, 'native/build/Release');
  const hasAddon = existsSync(join(addon, 'copyscope.node'));
  if (hasAddon) cpSync(addon, join(folder, 'native/build/Release'), { recursive: true });
  return {
    folder,
    engine: join(folder, 'dist/host/engine-process.js'),
    hasAddon,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}
