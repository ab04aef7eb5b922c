/** What ships with the program: example experiments, device profiles and recorded runs. Read from disk at each call. */
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { ExampleSummary, ProfileSummary } from '../../core/service/service.ts';
import { parseProfile } from '../../core/simulator/profile.ts';
import { readExperimentFile } from './experimentStore.ts';
import { type FoundFile, findFiles, readBoundedText } from './files.ts';

const maxProfileBytes = 16 * 1024 * 1024;
/** Ids of recorded runs begin with this, so that they never meet those of the user's runs. */
export const recordedPrefix = 'recorded/';

export class Assets {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async examples(): Promise<ExampleSummary[]> {
    const [files, runs] = await Promise.all([this.#exampleFiles(), this.recordedRuns()]);
    const ids = files.map((file) => file.name);
    return Promise.all(
      files.map(async ({ name: id, path }) => {
        const { name, description } = await readExperimentFile(path);
        const own = runs.filter((run) => exampleOf(run.name, ids) === id);
        return { id, name, description, recordedRuns: own.map((run) => recordedPrefix + run.name) };
      }),
    );
  }

  async readExample(id: string): Promise<Experiment> {
    return readExperimentFile(found(await this.#exampleFiles(), id, 'example').path);
  }

  /** The JSON files of assets/profiles; a profile is called by its file's name. */
  async profiles(): Promise<ProfileSummary[]> {
    const files = await this.#profileFiles();
    return Promise.all(
      files.map(async ({ name, path }) => {
        const profile = parseProfile(await readJson(path));
        return { name, device: profile.device.name, source: profile.source };
      }),
    );
  }

  /** Validated JSON. Rejects with `profile.not-found`, which lists those that exist. */
  async readProfile(name: string): Promise<unknown> {
    const json = await readJson(found(await this.#profileFiles(), name, 'profile').path);
    parseProfile(json);
    return json;
  }

  /** Names are paths below assets/runs, without ending. */
  recordedRuns(): Promise<FoundFile[]> {
    return findFiles(join(this.#folder, 'runs'), '.arrow', true);
  }

  #exampleFiles(): Promise<FoundFile[]> {
    return findFiles(join(this.#folder, 'examples'), '.json', true);
  }

  #profileFiles(): Promise<FoundFile[]> {
    return findFiles(join(this.#folder, 'profiles'), '.json', false);
  }
}

/** The example that a recorded run is of: its name is the example's id, or that and '-' and a device's name. */
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
  const text = await readBoundedText(path, maxProfileBytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CopyscopeError(
      {
        code: 'profile.invalid',
        message: `${path} is not valid JSON: ${(error as Error).message}.`,
        remedy: 'Install Copyscope again, or restore the file.',
      },
      { cause: error },
    );
  }
}
