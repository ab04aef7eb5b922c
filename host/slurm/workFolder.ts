/** The folder of one work, on the disk that login node and nodes share: what is to be done, what was submitted, what came of it. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { outputName } from '../../core/slurm/submission.ts';
import { mostPoints } from '../../core/sweep/document.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import {
  privately,
  readBounded,
  readBoundedText,
  readPart,
  storageError,
  writeNew,
  writeWhole,
} from '../service/files.ts';
import { processFolder } from '../service/processFolder.ts';
import type { PointResult } from '../service/sweepPoints.ts';
import type { PointFiles, Submission } from './protocol.ts';
import { readShape } from './readShape.ts';
import { resultText } from './result.ts';
import { readWork, type Work, workText } from './work.ts';

const maxWorkBytes = 128 * 2 ** 20;
/** A profile with all its measurements is the largest. */
const maxResultBytes = 8 * 2 ** 20;
/** Of what a job printed, in one message. */
const maxPartBytes = 2 ** 20;
/** Of one work, with what its jobs print and what they leave. */
const folders = ['output', 'points'];
/** Nobody drops the same so often; a disk that never shows what was written to it ends here. */
const mostOpened = 100;
/** sbatch answers within this, or gives up. */
const submittingMs = 600_000;
const pointSchema = z
  .number()
  .int()
  .min(0)
  .max(mostPoints - 1);
const submissionSchema = z.object({
  tasks: z.array(z.array(pointSchema).min(1)).min(1).max(mostPoints),
  job: z.string().max(40).nullable(),
});

/** Throws `slurm.damaged`. */
export const readSubmission = (text: string, number: number): z.infer<typeof submissionSchema> =>
  readShape(submissionSchema, text, { code: 'slurm.damaged', what: `Submission ${number}` });

export class WorkFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes it, unless it is there; anew where somebody else drops it meanwhile. What is to be done there. */
  async open(work: Work): Promise<Work> {
    for (let left = mostOpened; ; left -= 1) {
      try {
        for (const name of folders) await mkdir(this.#at(name), { recursive: true, mode: privately.folder });
        await writeNew(this.#at('work.json'), workText(work), privately);
        const there = await this.work();
        // Where it was dropped before that file was written, they are not in the new folder.
        for (const name of folders) await stat(this.#at(name));
        return there;
      } catch (error) {
        if (left === 0 || !isGone(error)) throw error;
      }
    }
  }

  /** Rejects with `slurm.unknown` or `slurm.damaged`. */
  async work(): Promise<Work> {
    const text = await readBoundedText(this.#at('work.json'), maxWorkBytes).catch((error: CopyscopeError) => {
      throw error.code === 'file.not-found' ? unknown() : error;
    });
    return readWork(text);
  }

  /** Points whose result is there. A run is written before what says that it is there. */
  async reached(): Promise<number[]> {
    const names = await readdir(this.#at('points')).catch(() => []);
    return names.flatMap((name) => {
      const point = /^(\d{1,4})\.json$/.exec(name)?.[1];
      return point === undefined ? [] : [Number(point)];
    });
  }

  async keep(result: PointResult): Promise<void> {
    await this.keepTexts(result.point, resultText(result), result.status === 'done' ? result.file : null);
  }

  async keepTexts(point: number, result: string, run: Uint8Array | null): Promise<void> {
    if (run !== null) await writeWhole(this.#at(`points/${point}.arrow`), run, privately);
    await writeWhole(this.#at(`points/${point}.json`), result, privately);
  }

  /** Null where it is gone: whoever else watches the same jobs takes results too, and then deletes the folder. */
  async take(point: number): Promise<PointFiles | null> {
    const result = await this.#result(point);
    if (result === null) return null;
    const run = await readBounded(this.#at(`points/${point}.arrow`), maxRunFileBytes).catch(() => null);
    return run === null && (await this.#result(point)) === null ? null : { point, result, run };
  }

  #result(point: number): Promise<string | null> {
    return readBoundedText(this.#at(`points/${point}.json`), maxResultBytes).catch((error: CopyscopeError) => {
      if (error.code === 'file.not-found') return null;
      throw error;
    });
  }

  /** Takes a point's result away, so that it can be run again. */
  async forget(point: number): Promise<void> {
    for (const ending of ['json', 'arrow']) await rm(this.#at(`points/${point}.${ending}`), { force: true });
  }

  async submissions(): Promise<Submission[]> {
    const names = await readdir(this.path).catch(() => []);
    const numbers = names.flatMap((name) => /^submission-(\d{1,4})\.json$/.exec(name)?.[1] ?? []).map(Number);
    const found = await Promise.all(
      numbers
        .sort((a, b) => a - b)
        .map((number) =>
          this.submission(number).catch((error: unknown) => {
            // Whoever was refused, or has all of it, has taken it away since.
            if (isGone(error)) return null;
            throw error;
          }),
        ),
    );
    return found.filter((submission) => submission !== null);
  }

  async submission(number: number): Promise<Submission> {
    const { tasks, job } = readSubmission(await readBoundedText(this.#submission(number), maxWorkBytes), number);
    return { number, tasks, job: job === null && (await this.#isOld(number)) ? '' : job };
  }

  /** False where that number is taken. */
  claim = ({ number, tasks }: Submission): Promise<boolean> =>
    writeNew(this.#submission(number), JSON.stringify({ tasks, job: null }), privately);

  submitted = ({ number, tasks, job }: Submission): Promise<void> =>
    writeWhole(this.#submission(number), JSON.stringify({ tasks, job }), privately);

  unclaim = (number: number): Promise<void> => rm(this.#submission(number), { force: true });

  writeScript = (name: string, text: string): Promise<void> => writeWhole(this.#at(name), text, privately);

  /** The end of what a job wrote. */
  async said(job: string): Promise<string> {
    const path = this.#output(job);
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    return new TextDecoder().decode(await partThere(path, Math.max(0, size - 2000), 2000));
  }

  /** What a job has written from that byte on: nothing where that is all, or it hasn't begun. */
  printed(job: string, from: number): Promise<Uint8Array> {
    if (!Number.isSafeInteger(from) || from < 0) throw unknown();
    return partThere(this.#output(job), from, maxPartBytes);
  }

  /** All of it is gone at once: whoever opens the same meanwhile begins anew, in no half of it. */
  async drop(): Promise<void> {
    const away = processFolder(dirname(this.path));
    try {
      await rename(this.path, away);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw storageError(`${this.path} could not be deleted`, error as NodeJS.ErrnoException);
    }
    await rm(away, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Whoever submitted it was cut off before Slurm's answer. */
  async #isOld(number: number): Promise<boolean> {
    const { mtimeMs } = await stat(this.#submission(number));
    return Date.now() - mtimeMs > submittingMs;
  }

  #output(job: string): string {
    if (!/^\d{1,12}_\d{1,7}$/.test(job)) throw unknown();
    return this.#at(`output/${outputName(job)}`);
  }

  readonly #submission = (number: number): string => this.#at(`submission-${number}.json`);

  #at(name: string): string {
    return join(this.path, name);
  }
}

/** Of what was there a moment ago. */
const isGone = (error: unknown): boolean =>
  ['slurm.unknown', 'file.not-found', 'ENOENT'].includes((error as { readonly code?: string }).code ?? '');

/** Empty where there is no such file yet. */
const partThere = (path: string, from: number, most: number): Promise<Uint8Array> =>
  readPart(path, from, most).catch((error: CopyscopeError) => {
    if (error.code === 'file.not-found') return new Uint8Array();
    throw error;
  });

export const unknown = (): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.unknown',
    message: 'There is no such work there.',
    remedy: 'copyscope slurm list shows those that are there.',
  });
