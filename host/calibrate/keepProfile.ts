/** Stores the result of a calibration among the user's profiles. */
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { privately, writeWhole } from '../files/files.ts';
import type { Assets } from '../library/assets.ts';
import { ownProfilesFolder } from '../paths.ts';
import type { Calibration } from './calibrateEngine.ts';

export interface ProfileOf {
  /** Name of the profile; by default made from the device. */
  readonly name?: string | undefined;
  readonly engine: 'cuda' | 'sim';
  /** Name of the measured machine, if it isn't this one. */
  readonly host?: string | undefined;
}

export interface KeptProfile extends Calibration {
  readonly path: string;
}

/** Names the profile and writes it to `out` or among the user's own. Rejects with `usage.invalid` for a taken name. */
export async function keepProfile(
  {
    assets,
    dataFolder,
    out,
  }: { readonly assets: Assets; readonly dataFolder: string; readonly out?: string | undefined },
  of: ProfileOf,
  found: Calibration,
): Promise<KeptProfile> {
  const name = await newName(assets, of, found);
  const profile = { ...found.profile, name };
  const path = out ?? join(ownProfilesFolder(dataFolder), `${name}.json`);
  await writeWhole(path, `${JSON.stringify(profile, null, 2)}\n`, out === undefined ? privately : undefined);
  return { ...found, profile, path };
}

/** Adds the name of another machine, since two machines may have the same GPU but different host memory. */
function newName(
  assets: Assets,
  { name, engine, host }: ProfileOf,
  { device }: Pick<Calibration, 'device'>,
): Promise<string> {
  const what = engine === 'cuda' ? (device ?? 'gpu') : engine;
  return requireFreeName(assets, name ?? `${what} ${host === undefined ? 'calibrated' : `of ${host}`}`);
}

/** Returns the name as a file name. Rejects the name of a built-in profile, which would take precedence. */
export async function requireFreeName(assets: Assets, name: string): Promise<string> {
  const made = slug(name);
  const shipped = (await assets.profiles()).some((profile) => profile.name === made && !profile.own);
  if (made !== '' && !shipped) return made;
  throw new CopyscopeError({
    code: 'usage.invalid',
    field: '--name',
    message: shipped ? `"${made}" is a profile that ships with Copyscope.` : 'a name needs letters or digits.',
    remedy: 'Choose another --name.',
  });
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
