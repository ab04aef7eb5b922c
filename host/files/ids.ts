/** Ids made from names. idSchema (core/service/requests.ts) checks ids from outside. */
import { CopyscopeError } from '../../core/errors.ts';
import { idSchema } from '../../core/service/requests.ts';
import { checkShape } from '../../core/shape/checkShape.ts';

/** File names that Windows reserves for devices, whatever their ending. */
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Returns lower-case letters and digits with single dashes between them, at most 60 characters: 'pinned-20-mib'. */
export function slug(name: string, fallback: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  if (plain === '') return fallback;
  return reserved.test(plain) ? `${fallback}-${plain}` : plain;
}

/** Returns `base`, or else `base-2`, `base-3`… */
export function unused(base: string, isUsed: (id: string) => boolean): string {
  if (!isUsed(base)) return base;
  let number = 2;
  while (isUsed(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

/** Called with an id before anything is stored under it. */
export type BeforeKept = (id: string) => Promise<void>;

/**
 * Stores something under an unused id. Another process may take the id in between, or a file may have it that the store
 * doesn't list, such as a link or a name in other case: `keep` then returns false, and `newId` is called for an untried
 * one.
 */
export async function keepUnderUnused(
  newId: (tried: ReadonlySet<string>) => Promise<string>,
  keep: (id: string) => Promise<boolean>,
  before: BeforeKept = async () => {},
): Promise<string> {
  const tried = new Set<string>();
  for (;;) {
    const id = await newId(tried);
    await before(id);
    if (await keep(id)) return id;
    tried.add(id);
  }
}

/** Returns an id such as '20261120-054500-pinned', which sorts by time and names the run. */
export const timedId = (at: Date, name: string): string =>
  `${at.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}-${slug(name, 'run')}`;

export const isId = (text: string): boolean => checkShape(idSchema, text).ok;

/** Returns the id of a file directly in a store's folder. Throws `request.invalid`. */
export function requireTopLevelId(id: string): string {
  if (isId(id) && !id.includes('/')) return id;
  throw new CopyscopeError({
    code: 'request.invalid',
    field: 'id',
    message: `${JSON.stringify(id.slice(0, 80))} can't be the id of an experiment.`,
    remedy: 'Save it under a new name.',
  });
}
