/**
 * What must be gone at the next start where this process ends midway: what is being deleted, what a bundle has brought
 * before all of it is there, what is being put back before all of it is. It stands on the disk before the first file changes,
 * so that neither a kill nor a power cut leaves a half.
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
  /** Past the system's bin. */
  forGood: z.boolean(),
});

export type DoomedItems = LibraryItems & { readonly forGood: boolean };

export interface Note {
  /** From now on these are meant. */
  write(items: LibraryItems): Promise<void>;
  /** All is done: nothing is to be gone. */
  tear(): Promise<void>;
}

const maxBytes = 16 * 1024 * 1024;

export class Unfinished {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Nothing stands in it before write(). */
  note(forGood: boolean): Note {
    const path = join(this.#folder, ownName());
    return {
      write: ({ experiments, runs, sweeps }) =>
        writeWhole(path, JSON.stringify({ experiments, runs, sweeps, forGood }), privately),
      tear: () => rm(path, { force: true }),
    };
  }

  /** What processes that have ended left unfinished, one after another; `finish` sees to it. */
  async finishAll(finish: (items: DoomedItems) => Promise<void>): Promise<void> {
    for (const path of this.#claimed()) {
      const items = await readNote(path);
      if (items !== null) await finish(items);
      await rm(path, { force: true });
    }
  }

  /** Renamed to this process's own, so that of several that start at once one has it. */
  #claimed(): string[] {
    const claimed: string[] = [];
    for (const name of namesIn(this.#folder)) {
      const [left, path] = [join(this.#folder, name), join(this.#folder, ownName())];
      if (name.endsWith('.tmp') || !isLeftBehind(left)) continue;
      try {
        renameSync(left, path);
        claimed.push(path);
      } catch {
        // Another one has it.
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
