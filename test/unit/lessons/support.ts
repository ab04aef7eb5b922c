/** The lessons that ship, with what they refer to. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lesson } from '../../../core/apps/lessons/lesson.ts';
import { requireLesson } from '../../../core/apps/lessons/parse.ts';
import { describeError, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';

const assets = join(import.meta.dirname, '../../../assets');
const read = (path: string): string => readFileSync(join(assets, path), 'utf8');

export const profile = parseProfile(JSON.parse(read('profiles/h200.json')));

const lessonFiles = readdirSync(join(assets, 'lessons')).filter((file) => file.endsWith('.md'));

export const lessons: readonly Lesson[] = lessonFiles.map((file) => {
  try {
    return requireLesson(file.replace(/\.md$/, ''), read(`lessons/${file}`));
  } catch (error) {
    throw new Error(`${file}: ${describeError(toErrorInfo(error))}`);
  }
});

export function experimentOf(lesson: Lesson, name: string): Experiment {
  const declared = lesson.experiments[name];
  if (declared === undefined) throw new Error(`${lesson.id} has no experiment ${name}`);
  return requireExperiment(declared.document ?? JSON.parse(read(`examples/${declared.example}.json`)));
}

/** Returns a recorded run; null if none has been recorded yet. */
export function recordedRun(lesson: Lesson, name: string): Run | null {
  const id = lesson.experiments[name]?.recorded ?? 'none yet';
  return id === 'none yet' ? null : decodeRun(new Uint8Array(readFileSync(join(assets, `runs/${id}.arrow`))));
}
