/** A data folder of a test's own: what the test puts there, and what it finds. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export class DataFolder {
  readonly dataFolder: string;

  constructor(folder = mkdtempSync(join(tmpdir(), 'copyscope-e2e-'))) {
    this.dataFolder = folder;
  }

  /** In place of the person's own: the bin is there. */
  get home(): string {
    return join(this.dataFolder, 'home');
  }

  /** Puts a document among the user's experiments, as another program could. */
  addExperiment(id: string, document: unknown): void {
    const path = join(this.dataFolder, 'experiments', `${id}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
  }

  /** Puts a profile among the user's own, as copyscope calibrate does. */
  addProfile(name: string, profile: unknown): void {
    const path = join(this.dataFolder, 'profiles', `${name}.json`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(profile));
  }

  /** Puts a lesson among the user's own. */
  addLesson(name: string, text: string): void {
    const path = join(this.dataFolder, 'lessons', `${name}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Every file in the data folder with its content, to show that nothing changed; the memory of lists is no content. */
  files(): Record<string, string> {
    const cache = join(this.dataFolder, 'cache');
    const paths = filesIn(this.dataFolder).filter((path) => !path.startsWith(cache));
    return Object.fromEntries(paths.sort().flatMap(contentOf));
  }

  /** Again where something was written meanwhile, as the end of a run: Node's own retries don't list a folder again. */
  async removeFolder(): Promise<void> {
    while (existsSync(this.dataFolder)) {
      await rm(this.dataFolder, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY') throw error;
      });
    }
  }
}

/** Folder by folder: one may go while it is looked at. */
function filesIn(folder: string): string[] {
  return whileThere(() => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/** A file that is written whole has another name until it is. */
const contentOf = (path: string): (readonly [string, string])[] =>
  whileThere(() => [[path, readFileSync(path, 'base64')] as const]);

/** Nothing of what has gone since it was listed. */
function whileThere<Part>(read: () => Part[]): Part[] {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
