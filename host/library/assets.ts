/** Built-in example experiments, device profiles and recorded runs, and the user's own profiles. */
import { join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { defaultProfile } from '../../core/machine/cost/simEngine.ts';
import { parseProfile, profileDeviceName } from '../../core/machine/profile/profile.ts';
import { type ExampleSummary, type ProfileSummary, recordedPrefix } from '../../core/service/service.ts';
import { parseJson } from '../../core/shape/parseJson.ts';
import { type FoundFile, findFiles, readBoundedText } from '../files/files.ts';
import { SeenFiles, type SeenList } from '../files/seenFiles.ts';
import { readExperimentFile } from './experimentStore.ts';

const maxProfileBytes = 16 * 1024 * 1024;

/** Fields of an example's file that lists show. */
const exampleSchema = z.object({ name: z.string(), description: z.string() });
type Example = z.infer<typeof exampleSchema>;

export class Assets {
  readonly #folder: string;
  readonly #ownProfiles: string | null;
  readonly #seen: SeenList<Example>;

  /** `ownProfiles` is the folder of the user's profiles, which need not exist. */
  constructor(folder: string, ownProfiles: string | null = null, seen = new SeenFiles(null)) {
    this.#folder = folder;
    this.#ownProfiles = ownProfiles;
    this.#seen = seen.list('examples', exampleSchema);
  }

  async examples(): Promise<ExampleSummary[]> {
    const [files, runs] = await Promise.all([this.#exampleFiles(), this.recordedRuns()]);
    const ids = files.map((file) => file.name);
    this.#seen.keepOnly(files.map(({ path }) => path));
    return Promise.all(
      files.map(async ({ name: id, path }) => {
        const { name, description } = await this.#seen.of(path, () => readExample(path));
        const own = runs.filter((run) => exampleOf(run.name, ids) === id);
        return { id, name, description, recordedRuns: own.map((run) => recordedPrefix + run.name) };
      }),
    );
  }

  async readExample(id: string): Promise<Experiment> {
    return readExperimentFile(found(await this.#exampleFiles(), id, 'example').path);
  }

  /**
   * Returns the user's profiles and those of assets/profiles, named after their files: the user's own first, then the
   * default one, then measured ones. Unreadable profiles of the user are left out.
   */
  async profiles(): Promise<ProfileSummary[]> {
    const files = await this.#profileFiles();
    const found = await Promise.all(files.map((file) => summaryOf(file)));
    const rank = ({ name, basis, own }: ProfileSummary): number =>
      own ? 0 : name === defaultProfile ? 1 : basis === 'measured' ? 2 : 3;
    return found.flatMap((summary) => summary ?? []).sort((one, other) => rank(one) - rank(other));
  }

  /** Returns validated JSON. Rejects with `profile.not-found`, which lists the existing ones. */
  async readProfile(name: string): Promise<unknown> {
    const json = await readJson(found(await this.#profileFiles(), name, 'profile').path);
    parseProfile(json);
    return json;
  }

  /** Returns the recorded runs. Names are paths below assets/runs, without ending. */
  recordedRuns(): Promise<FoundFile[]> {
    return findFiles(join(this.#folder, 'runs'), '.arrow', true);
  }

  #exampleFiles(): Promise<FoundFile[]> {
    return findFiles(join(this.#folder, 'examples'), '.json', true);
  }

  /** Lists built-in profiles first, so that a user's file can't replace one. */
  async #profileFiles(): Promise<ProfileFile[]> {
    const shipped = await findFiles(join(this.#folder, 'profiles'), '.json', false);
    const own = this.#ownProfiles === null ? [] : await findFiles(this.#ownProfiles, '.json', false);
    const names = new Set(shipped.map(({ name }) => name));
    return [
      ...shipped.map((file) => ({ ...file, own: false })),
      ...own.filter(({ name }) => !names.has(name)).map((file) => ({ ...file, own: true })),
    ];
  }
}

async function readExample(path: string): Promise<Example> {
  const { name, description } = await readExperimentFile(path);
  return { name, description };
}

type ProfileFile = FoundFile & { readonly own: boolean };

async function summaryOf({ name, path, own }: ProfileFile): Promise<ProfileSummary | null> {
  try {
    const profile = parseProfile(await readJson(path));
    const { source, basis, host } = profile;
    const there = host === undefined ? {} : { host };
    return { name, device: profileDeviceName(profile), source, basis, own, ...there };
  } catch (error) {
    if (own) return null;
    throw error;
  }
}

/** Returns the example of a recorded run, whose name is the example's id, or that with '-' and a device's name. */
function exampleOf(run: string, examples: readonly string[]): string | undefined {
  const matching = examples.filter((id) => run === id || run.startsWith(`${id}-`));
  return matching.sort((a, b) => b.length - a.length)[0];
}

function found(files: readonly FoundFile[], id: string, what: 'example' | 'profile'): FoundFile {
  const file = files.find((candidate) => candidate.name === id);
  if (file !== undefined) return file;
  throw new CopyscopeError({
    code: `${what}.not-found`,
    field: what,
    message: `there is no ${what} ${JSON.stringify(id.slice(0, 80))}.`,
    remedy: `Choose one of: ${files.map((candidate) => candidate.name).join(', ')}.`,
  });
}

async function readJson(path: string): Promise<unknown> {
  const parsed = parseJson(await readBoundedText(path, maxProfileBytes));
  if (parsed.ok) return parsed.json;
  throw new CopyscopeError({
    code: 'profile.invalid',
    message: `${path}: ${parsed.message}`,
    remedy: 'Install Copyscope again, or restore the file.',
  });
}
