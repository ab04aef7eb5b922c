/** Before/after pairs of real programs: traces with their true step times (steps.json). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeWord, isChangeWord } from '../../core/lift/changes/words.ts';
import { median } from '../../core/statistics.ts';

interface Variant {
  readonly us: readonly number[];
  readonly change: string;
}

export interface TracePair {
  readonly family: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly ChangeWord[];
  /** Part of the unprofiled step that the change really took off. */
  readonly trueShare: number;
}

export const tracePath = (folder: string, family: string, variant: string): string =>
  join(folder, `${family}.${variant}.json.gz`);

/** Every two variants of a family of which the one has all changes of the other and more. */
export function tracePairs(folder: string): TracePair[] {
  const families: Record<string, Record<string, Variant>> = JSON.parse(
    readFileSync(join(folder, 'steps.json'), 'utf8'),
  );
  return Object.entries(families).flatMap(([family, variants]) =>
    Object.entries(variants).flatMap(([before, one]) => {
      if (!existsSync(tracePath(folder, family, before))) return [];
      return Object.entries(variants).flatMap(([after, other]) => {
        const [had, has] = [wordsOf(one.change), wordsOf(other.change)];
        const changes = has.filter((word) => !had.includes(word));
        if (changes.length === 0 || had.some((word) => !has.includes(word))) return [];
        return [{ family, before, after, changes, trueShare: 1 - median(other.us) / median(one.us) }];
      });
    }),
  );
}

/** The step without a profiler, in nanoseconds. */
export function trueStepNs(folder: string, family: string, variant: string): number {
  const families = JSON.parse(readFileSync(join(folder, 'steps.json'), 'utf8'));
  return 1000 * median(families[family][variant].us);
}

const wordsOf = (text: string): ChangeWord[] =>
  text
    .split(',')
    .map((word) => word.trim().replaceAll(' ', '-'))
    .filter(isChangeWord);
