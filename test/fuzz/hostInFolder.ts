/** A host on a data folder of its own, and what lies in that folder. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type Host } from '../../host/service/host.ts';
import { Wrong } from './judge.ts';
import { repository } from './seeds.ts';

export interface HostInFolder {
  readonly host: Host;
  readonly folder: string;
  /** Throws where anything is there now that wasn't, is gone, or has other content. */
  requireSame(before: ReadonlyMap<string, string>): void;
  /** Throws where anything lies beside the data folder. */
  requireAllInside(): void;
  /** What every file holds, by its path. */
  content(): ReadonlyMap<string, string>;
  close(): void;
}

/** Engines are not what is tried: each ends as soon as it is asked. */
const noEngine = () => ({
  post: () => {},
  onMessage: () => {},
  onExit: (handler: (exit: { code: number; signal: null; stderr: string }) => void) =>
    void setImmediate(() => handler({ code: 1, signal: null, stderr: '' })),
  kill: () => {},
});

/** `fill` puts something into the data folder before the host starts; nothing ships with such a host, which is slow to list. */
export function hostInFolder(fill?: (folder: string) => void): HostInFolder {
  const outer = mkdtempSync(join(tmpdir(), 'copyscope-fuzz-'));
  // What leaves the data folder is seen too.
  const folder = join(outer, 'data');
  if (fill !== undefined) mkdirSync(folder);
  fill?.(folder);
  const host = createHost({
    about: { version: '0.1.0', shell: 'browser', platform: 'linux', dataFolder: folder },
    assetsFolder: fill === undefined ? join(repository, 'assets') : join(folder, 'assets'),
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
    folder,
    content,
    requireAllInside: () => {
      const others = readdirSync(outer).filter((name) => name !== 'data');
      if (others.length > 0) throw new Wrong(`beside the data folder lies ${others.join()}`);
    },
    requireSame: (before) => {
      const after = content();
      for (const [path, sum] of after) {
        // The folders themselves, and what is remembered of files, hold nothing of an input.
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
