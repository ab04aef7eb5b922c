/** The folders that an assistant may read and write in. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';

export class AllowedPaths {
  readonly #roots: readonly string[];

  /** Throws `usage.folder` if one is no folder. */
  constructor(folders: readonly string[]) {
    this.#roots = folders.map((folder) => {
      if (!existsSync(folder) || !statSync(folder).isDirectory()) {
        throw new CopyscopeError({
          code: 'usage.folder',
          field: 'folder',
          message: `${folder} is no folder.`,
          remedy: 'Name the folders that hold your traces and experiments.',
        });
      }
      return realpathSync(folder);
    });
  }

  /** Returns the real path of a file or folder that is there. Throws `file.not-found` or `usage.path`. */
  existing(path: string, field: string): string {
    const whole = this.#resolved(path, field);
    if (!existsSync(whole)) {
      // A path outside is never looked at: nothing says whether it is there.
      this.#requireInside(this.#realParent(whole), path, field);
      throw new CopyscopeError({ code: 'file.not-found', field, message: `There is no ${path}.` });
    }
    return this.#requireInside(realpathSync(whole), path, field);
  }

  /** Returns the path of a file that may be written. */
  writable(path: string, field: string): string {
    const whole = this.#resolved(path, field);
    return existsSync(whole) ? this.existing(path, field) : this.#requireInside(this.#realParent(whole), path, field);
  }

  #resolved(path: string, field: string): string {
    if (path === '' || path.includes('\0')) throw this.#refusal(path, field);
    return resolve(this.#roots[0] ?? '/', path);
  }

  #realParent(whole: string): string {
    const parent = dirname(whole);
    if (parent === whole) return whole;
    return join(existsSync(parent) ? realpathSync(parent) : this.#realParent(parent), basename(whole));
  }

  #requireInside(real: string, path: string, field: string): string {
    if (this.#roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)))
      return real;
    throw this.#refusal(path, field);
  }

  #refusal(path: string, field: string): CopyscopeError {
    return new CopyscopeError({
      code: 'usage.path',
      field,
      message: `${JSON.stringify(path)} lies outside the folders that were allowed.`,
      remedy: 'Name a path inside them, or start copyscope mcp with its folder.',
    });
  }
}
