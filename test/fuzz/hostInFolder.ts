/** A host on its own data folder, and the content of that folder. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host } from '../../host/service/host.ts';
import { Wrong } from './judge.ts';
import { repository } from './seeds.ts';

export interface HostInFolder {
  readonly host: Host;
  /** Throws if a file has been added, deleted or changed. */
  requireSame(before: ReadonlyMap<string, string>): void;
  /** Returns the content of every file by path. */
  content(): ReadonlyMap<string, string>;
  close(): void;
}

/** An engine that ends at its first request, since engines are not tested here. */
const noEngine = () => ({
  post: () => {},
  onMessage: () => {},
  onExit: (handler: (exit: { code: number; signal: null; stderr: string }) => void) =>
    void setImmediate(() => handler({ code: 1, signal: null, stderr: '' })),
  kill: () => {},
});

export function hostInFolder(): HostInFolder {
  const outer = mkdtempSync(join(tmpdir(), 'copyscope-fuzz-'));
  // Changes outside the data folder are found too.
  const folder = join(outer, 'data');
  const host = createHost({
    about: { version: '0.1.0', shell: 'browser', platform: 'linux', dataFolder: folder },
    assetsFolder: join(repository, 'assets'),
    spawnEngine: noEngine,
    environment: { PATH: '' },
  });
  const content = (): Map<string, string> => {
    const entries = readdirSync(outer, { recursive: true, withFileTypes: true });
    return new Map(
      entries.map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path, entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? readlinkSync(path) : sumOf(path)];
      }),
    );
  };
  return {
    host,
    content,
    requireSame: (before) => {
      const after = content();
      for (const [path, sum] of after) {
        // Folders and caches contain nothing of an input.
        if (sum === 'folder' || path.includes('/cache/')) continue;
        if (before.get(path) !== sum) throw new Wrong(`after a refusal ${path} is new or has changed`);
      }
      for (const [path, sum] of before) {
        if (sum !== 'folder' && !path.includes('/cache/') && !after.has(path))
          throw new Wrong(`after a refusal ${path} is gone`);
      }
    },
    close: () => {
      host.close();
      rmSync(outer, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const sumOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
