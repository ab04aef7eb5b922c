/** The user's experiments: one formatted JSON file each, named by its id. */
import { join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { maxExperimentCharacters, requireExperiment } from '../../core/experiment/parse.ts';
import type { ExperimentSummary } from '../../core/service/service.ts';
import { type FoundFile, findFiles, privately, readBoundedText, serial, writeNew, writeWhole } from '../files/files.ts';
import { isId, keepUnderUnused, requireTopLevelId, slug, unused } from '../files/ids.ts';
import { type FileState, SeenFiles, type SeenList } from '../files/seenFiles.ts';
import type { DraftStore } from './draftStore.ts';

/** Fields of a file that lists show. */
const namedSchema = z.object({ name: z.string(), modifiedAt: z.string() });
type Named = z.infer<typeof namedSchema> & { readonly problem?: ErrorInfo };

/** A file that can't be opened now may be readable later. */
const isOpenable = ({ problem }: Named): boolean => problem === undefined;

export class ExperimentStore {
  readonly #folder: string;
  readonly #drafts: DraftStore;
  readonly #serial = serial();
  readonly #seen: SeenList<Named>;

  /** `drafts` holds unsaved changes of windows. */
  constructor(folder: string, drafts: DraftStore, seen = new SeenFiles(null)) {
    this.#folder = folder;
    this.#drafts = drafts;
    this.#seen = seen.list('experiments', namedSchema, isOpenable);
  }

  /** Returns all experiments by id; one that can't be opened has its problem. */
  async list(): Promise<ExperimentSummary[]> {
    const [files, drafts] = await Promise.all([this.#files(), this.#drafts.ids()]);
    this.#seen.keepOnly(files.map(({ path }) => path));
    return Promise.all(
      files.map(async (file) => ({
        id: file.name,
        ...(await this.#seen.of(file.path, (state) => readNamed(file, state))),
        hasDraft: drafts.has(file.name),
      })),
    );
  }

  /** Rejects with `experiment.not-found`, `experiment.invalid` or a file error. */
  async read(id: string): Promise<Experiment> {
    return readExperimentFile((await this.#find(id)).path);
  }

  /** Validates first, so that an invalid document changes nothing. Returns the id. */
  save(id: string | null, document: unknown): Promise<string> {
    return this.#serial(async () => {
      const experiment = requireExperiment(document);
      const text = `${JSON.stringify(experiment, null, 2)}\n`;
      const pathOf = (target: string): string => join(this.#folder, `${target}.json`);
      if (id === null) {
        const newId = (tried: ReadonlySet<string>): Promise<string> => this.#newId(experiment.name, tried);
        return keepUnderUnused(newId, (target) => writeNew(pathOf(target), text, privately));
      }
      await writeWhole(pathOf(requireTopLevelId(id)), text, privately);
      return id;
    });
  }

  /** Returns the experiment's path. Rejects with `experiment.not-found`. */
  async path(id: string): Promise<string> {
    return (await this.#find(id)).path;
  }

  async has(id: string): Promise<boolean> {
    return (await this.#files()).some(({ name }) => name === id);
  }

  /** Returns the id of the experiment with exactly this document, or null. */
  async same(experiment: Experiment): Promise<string | null> {
    const text = JSON.stringify(experiment);
    for (const { id, name, problem } of await this.list()) {
      if (problem !== undefined || name !== experiment.name) continue;
      if (JSON.stringify(await this.read(id)) === text) return id;
    }
    return null;
  }

  async #newId(name: string, tried: ReadonlySet<string>): Promise<string> {
    const [files, drafts] = await Promise.all([this.#files(), this.#drafts.ids()]);
    // A draft may outlive its experiment, whose file the user may remove.
    const used = new Set([...files.map((file) => file.name), ...drafts, ...tried]);
    return unused(slug(name, 'experiment'), (candidate) => used.has(candidate));
  }

  async #find(id: string): Promise<FoundFile> {
    const found = (await this.#files()).find((file) => file.name === id && isId(file.name));
    if (found === undefined) throw notFound(id);
    return found;
  }

  #files(): Promise<FoundFile[]> {
    return findFiles(this.#folder, '.json', false);
  }
}

/** Reads an experiment document from a file: parses and validates it, with errors that name the field. */
export async function readExperimentFile(path: string): Promise<Experiment> {
  return requireExperiment(await readBoundedText(path, maxExperimentCharacters));
}

async function readNamed({ name: id, path }: FoundFile, file: FileState): Promise<Named> {
  const modifiedAt = file.modifiedAt.toISOString();
  if (!isId(id)) return { name: id, modifiedAt, problem: badName(path) };
  try {
    const { name } = await readExperimentFile(path);
    return { name, modifiedAt };
  } catch (error) {
    return { name: id, modifiedAt, problem: toErrorInfo(error) };
  }
}

const badName = (path: string): ErrorInfo => ({
  code: 'experiment.file-name',
  message: `${path} can't be opened by its name.`,
  remedy: 'Rename the file so that only a-z, 0-9, "-" and "_" are in its name.',
});

const notFound = (id: string): CopyscopeError =>
  new CopyscopeError({
    code: 'experiment.not-found',
    message: `There is no experiment ${JSON.stringify(id)}.`,
    remedy: 'It may have been deleted or renamed: choose another.',
  });
