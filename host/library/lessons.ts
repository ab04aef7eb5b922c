/** Lessons: the built-in ones, and the user's own in the data folder. */
import { join } from 'node:path';
import { z } from 'zod';
import { type Figure, requireFigure } from '../../core/apps/lessons/figure.ts';
import type { Lesson } from '../../core/apps/lessons/lesson.ts';
import { maxLessonCharacters, requireLesson } from '../../core/apps/lessons/parse.ts';
import { tasksOf } from '../../core/apps/lessons/results.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { LessonSummary, OpenedLesson } from '../../core/service/service.ts';
import { type FoundFile, findFiles, readBoundedText } from '../files/files.ts';
import { isId } from '../files/ids.ts';
import { SeenFiles, type SeenList } from '../files/seenFiles.ts';

/** Prefix of the ids of the user's lessons. */
const ownPrefix = 'own/';
const maxFigureBytes = 1024 * 1024;

/** Fields that lists show of a readable lesson. */
const summarySchema = z.object({
  title: z.string(),
  summary: z.string(),
  group: z.string(),
  order: z.number(),
  minutes: z.number(),
  steps: z.number(),
  tasks: z.array(z.number()),
});
type Summary = z.infer<typeof summarySchema>;

export class Lessons {
  readonly #shipped: string;
  readonly #own: string;
  readonly #seen: SeenList<Summary>;

  constructor(assetsFolder: string, dataFolder: string, seen = new SeenFiles(null)) {
    this.#shipped = join(assetsFolder, 'lessons');
    this.#own = join(dataFolder, 'lessons');
    this.#seen = seen.list('lessons', summarySchema);
  }

  /** Returns the lessons in teaching order, the user's last; an unreadable one has its problem. */
  async list(): Promise<LessonSummary[]> {
    const files = await this.#files();
    this.#seen.keepOnly(files.map(({ path }) => path));
    const summaries = await Promise.all(files.map((file) => this.#summarize(file)));
    return summaries.sort((a, b) => Number(a.own) - Number(b.own) || a.order - b.order || (a.id < b.id ? -1 : 1));
  }

  /** Rejects with `lesson.not-found`, `lesson.invalid`, `figure.invalid` or a file error. */
  async read(id: string): Promise<OpenedLesson> {
    const file = (await this.#files()).find(({ name }) => name === id && isId(name));
    if (file === undefined) {
      throw new CopyscopeError({
        code: 'lesson.not-found',
        message: `There is no lesson ${JSON.stringify(id.slice(0, 80))}.`,
        remedy: 'Pick one from the list of lessons.',
      });
    }
    const lesson = await readLesson(file);
    return { lesson, figures: await this.#figures(lesson) };
  }

  async #files(): Promise<FoundFile[]> {
    const [shipped, own] = await Promise.all([
      findFiles(this.#shipped, '.md', false),
      findFiles(this.#own, '.md', false),
    ]);
    return [...shipped, ...own.map(({ name, path }) => ({ name: ownPrefix + name, path }))];
  }

  async #summarize(file: FoundFile): Promise<LessonSummary> {
    const { name: id, path } = file;
    const own = id.startsWith(ownPrefix);
    if (!isId(id)) return unreadable(id, own, badName(path));
    try {
      return { id, own, ...(await this.#seen.of(path, () => readSummary(file))) };
    } catch (error) {
      return unreadable(id, own, toErrorInfo(error));
    }
  }

  async #figures(lesson: Lesson): Promise<Record<string, Figure>> {
    const wanted = new Set(lesson.steps.flatMap(({ figure }) => figure ?? []));
    if (wanted.size === 0) return {};
    const files = await findFiles(join(this.#shipped, 'figures'), '.json', false);
    const read = async (id: string): Promise<[string, Figure]> => {
      const file = files.find(({ name }) => name === id);
      if (file === undefined) {
        throw new CopyscopeError({
          code: 'figure.not-found',
          message: `There is no figure ${JSON.stringify(id)}.`,
          remedy: `Use one of: ${files.map(({ name }) => name).join(', ')}.`,
        });
      }
      return [id, requireFigure(JSON.parse(await readBoundedText(file.path, maxFigureBytes)))];
    };
    return Object.fromEntries(await Promise.all([...wanted].map(read)));
  }
}

const readLesson = async ({ name, path }: FoundFile): Promise<Lesson> =>
  requireLesson(name, await readBoundedText(path, maxLessonCharacters * 4));

async function readSummary(file: FoundFile): Promise<Summary> {
  const { title, summary, group, order, minutes, steps } = await readLesson(file);
  return { title, summary, group, order, minutes, steps: steps.length, tasks: tasksOf(steps) };
}

const unreadable = (id: string, own: boolean, problem: ErrorInfo): LessonSummary => ({
  id,
  title: id.slice(own ? ownPrefix.length : 0),
  summary: '',
  group: own ? 'Your lessons' : '',
  order: 0,
  minutes: 0,
  steps: 0,
  tasks: [],
  own,
  problem,
});

const badName = (path: string): ErrorInfo => ({
  code: 'lesson.file-name',
  message: `${path} can't be opened by its name.`,
  remedy: 'Rename the file so that only a-z, 0-9, "-" and "_" are in its name.',
});
