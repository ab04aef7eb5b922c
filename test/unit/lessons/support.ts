/** The lessons that ship, with what they refer to. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import type { Lesson } from '../../../core/lessons/lesson.ts';
import { requireLesson } from '../../../core/lessons/parse.ts';
import { type Played, play, playedRun } from '../../../core/lessons/played.ts';
import { parseProfile } from '../../../core/simulator/profile.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';

const assets = join(import.meta.dirname, '../../../assets');
const read = (path: string): string => readFileSync(join(assets, path), 'utf8');

export const profile = parseProfile(JSON.parse(read('profiles/h200.json')));

export const lessonFiles = readdirSync(join(assets, 'lessons')).filter((file) => file.endsWith('.md'));

export const lessons: readonly Lesson[] = lessonFiles.map((file) =>
  requireLesson(file.replace(/\.md$/, ''), read(`lessons/${file}`)),
);

export function experimentOf(lesson: Lesson, name: string): Experiment {
  const declared = lesson.experiments[name];
  if (declared === undefined) throw new Error(`${lesson.id} has no experiment ${name}`);
  return requireExperiment(declared.document ?? JSON.parse(read(`examples/${declared.example}.json`)));
}

const played = new Map<string, Promise<Played>>();

/** Simulated once for all tests of a file. */
export function simulated(lesson: Lesson, name: string): Promise<Played> {
  const key = `${lesson.id} ${name}`;
  const known = played.get(key) ?? play(experimentOf(lesson, name), profile);
  played.set(key, known);
  return known;
}

/** Null where none has been recorded yet. */
export function recorded(lesson: Lesson, name: string): Played | null {
  const id = lesson.experiments[name]?.recorded;
  if (id === undefined || id === 'none yet') return null;
  return playedRun(decodeRun(new Uint8Array(readFileSync(join(assets, `runs/${id}.arrow`)))));
}
