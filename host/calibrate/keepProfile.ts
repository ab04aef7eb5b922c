/** What a calibration found, kept among the user's own profiles. */
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { ownProfilesFolder } from '../paths.ts';
import type { Assets } from '../service/assets.ts';
import { privately, writeWhole } from '../service/files.ts';
import type { Calibration } from './calibrateEngine.ts';

export interface ProfileOf {
  /** What it is to be called; made from the device where left out. */
  readonly name?: string | undefined;
  readonly engine: 'cuda' | 'sim';
  /** The other machine that was measured. */
  readonly host?: string | undefined;
}

export interface KeptProfile extends Calibration {
  readonly path: string;
}

/** Names the profile and writes it: among the user's own, or to `out`. Rejects with `usage.invalid` where the name is taken. */
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

/** Of another machine with its name: two machines may have the same GPU, and not the same host memory. */
function newName(
  assets: Assets,
  { name, engine, host }: ProfileOf,
  { device }: Pick<Calibration, 'device'>,
): Promise<string> {
  const what = engine === 'cuda' ? (device ?? 'gpu') : engine;
  return requireFreeName(assets, name ?? `${what} ${host === undefined ? 'calibrated' : `of ${host}`}`);
}

/** The name as a file's, which must not be that of a shipped profile: that one would go before it. */
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
