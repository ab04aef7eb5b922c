/**
 * Notes on items that must be removed at the next start if this process ends midway: items being deleted, and
 * incomplete items of a bundle or a restore. A note is on the disk before the first file changes, so that a kill or
 * power cut leaves nothing half done.
 */
import { readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { idSchema } from '../../core/service/requests.ts';
import type { LibraryItems } from '../../core/service/service.ts';
import { checkShape } from '../../core/shape/checkShape.ts';
import { privately, readBoundedText, writeWhole } from './files.ts';
import { isLeftBehind, ownName } from './thisProcess.ts';

const doomedSchema = z.strictObject({
  experiments: z.array(idSchema),
  runs: z.array(idSchema),
  sweeps: z.array(idSchema),
  /** True if the items bypass the system's bin. */
  forGood: z.boolean(),
});

export type DoomedItems = LibraryItems & { readonly forGood: boolean };

export interface Note {
  /** Names the items of the note from now on. */
  write(items: LibraryItems): Promise<void>;
  /** Removes the note when all is done. */
  tear(): Promise<void>;
}

const maxBytes = 16 * 1024 * 1024;

export class Unfinished {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns a note, which is empty before write(). */
  note(forGood: boolean): Note {
    const path = join(this.#folder, ownName());
    return {
      write: ({ experiments, runs, sweeps }) =>
        writeWhole(path, JSON.stringify({ experiments, runs, sweeps, forGood }), privately),
      tear: () => rm(path, { force: true }),
    };
  }

  /** Finishes the work of ended processes with `finish`, one item after another. */
  async finishAll(finish: (items: DoomedItems) => Promise<void>): Promise<void> {
    for (const path of this.#claimed()) {
      const items = await readNote(path);
      if (items !== null) await finish(items);
      await rm(path, { force: true });
    }
  }

  /** Renames notes to this process's own, so that only one of several starting processes has each. */
  #claimed(): string[] {
    const claimed: string[] = [];
    for (const name of namesIn(this.#folder)) {
      const [left, path] = [join(this.#folder, name), join(this.#folder, ownName())];
      if (name.endsWith('.tmp') || !isLeftBehind(left)) continue;
      try {
        renameSync(left, path);
        claimed.push(path);
      } catch {
        // Another process has claimed it.
      }
    }
    return claimed;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function readNote(path: string): Promise<DoomedItems | null> {
  try {
    const shape = checkShape(doomedSchema, JSON.parse(await readBoundedText(path, maxBytes)));
    return shape.ok ? shape.value : null;
  } catch {
    return null;
  }
}
