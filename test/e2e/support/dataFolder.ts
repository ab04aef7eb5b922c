/** A test's own data folder, with files that the test adds and reads. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export class DataFolder {
  readonly dataFolder: string;

  constructor(folder = mkdtempSync(join(tmpdir(), 'copyscope-e2e-'))) {
    this.dataFolder = folder;
  }

  /** Adds a document to the user's experiments, as another program could. */
  addExperiment(id: string, document: unknown): void {
    const path = join(this.dataFolder, 'experiments', `${id}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
  }

  /** Returns the content of every file in the data folder, to show that nothing changed; without the cache of lists. */
  files(): Record<string, string> {
    const cache = join(this.dataFolder, 'cache');
    const paths = filesIn(this.dataFolder).filter((path) => !path.startsWith(cache));
    return Object.fromEntries(paths.sort().flatMap(contentOf));
  }

  /** Tries again if the end of a run has added a file: Node's own retries don't list a folder again. */
  async removeFolder(): Promise<void> {
    while (existsSync(this.dataFolder)) {
      await rm(this.dataFolder, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY') throw error;
      });
    }
  }
}

/** Lists folder by folder, since one may be deleted in between. */
function filesIn(folder: string): string[] {
  return whileThere(() => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/** A file has another name until it is written completely. */
const contentOf = (path: string): (readonly [string, string])[] =>
  whileThere(() => [[path, readFileSync(path, 'base64')] as const]);

/** Returns nothing if the file has been deleted since it was listed. */
function whileThere<Part>(read: () => Part[]): Part[] {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
