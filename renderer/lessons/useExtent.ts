/**
 * One scale for a lesson's variants: a copy that is half as long must look so from one step to the next. What is far
 * shorter than the longest has a scale of its own, on which something of it can be seen.
 */
import { useEffect } from 'react';
import type { Lesson } from '../../core/lessons/lesson.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import { isLongerThan, predict } from '../predict/predict.ts';
import { chosenProfile } from '../predict/usePrediction.ts';
import { setExtent } from '../store/lessonView.ts';
import { state, useApp } from '../store/store.ts';
import { recordingOf } from './recordings.ts';
import { givenExperiment, type OpenStep } from './useLesson.ts';

/** Longer programs aren't simulated only to find their scale. */
const mostOperations = 4000;
/** A lane this many times shorter than the plot can still be read. */
const mostTimes = 6;

export function useExtent(open: OpenStep | null): void {
  const engine = useApp((all) => all.engine);
  const profiles = useApp((all) => all.profiles);
  const lesson = open?.lesson;
  const shown = open?.step.shown?.name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another engine may mean another profile.
  useEffect(() => {
    if (lesson === undefined || shown === undefined) return setExtent(null);
    let current = true;
    void variantsOf(lesson).then((variants) => {
      if (current) setExtent(extentFor(shown, variants));
    });
    return () => {
      current = false;
      setExtent(null);
    };
  }, [lesson, shown, engine, profiles]);
}

/** The longest of those that are near the shown one; null where it is unknown. */
export function extentFor(shown: string, variants: ReadonlyMap<string, number>): number | null {
  const own = variants.get(shown);
  if (own === undefined) return null;
  return Math.max(...[...variants.values()].filter((one) => one <= own * mostTimes));
}

const known = new WeakMap<Lesson, { readonly profile: DeviceProfile | null; readonly variants: Promise<Variants> }>();
type Variants = ReadonlyMap<string, number>;

async function variantsOf(lesson: Lesson): Promise<Variants> {
  const profile = await chosenProfile();
  const before = known.get(lesson);
  if (before?.profile === profile) return before.variants;
  const variants = measured(lesson, profile);
  known.set(lesson, { profile, variants });
  return variants;
}

/** Makespans as recorded and as simulated, the longer of both, by the experiment's name. */
async function measured(lesson: Lesson, profile: DeviceProfile | null): Promise<Variants> {
  const found = new Map<string, number>();
  for (const name of Object.keys(lesson.experiments)) {
    const recorded = state().runs[recordingOf(lesson, name) ?? '']?.makespanNs ?? 0;
    found.set(name, Math.max(recorded, profile === null ? 0 : await simulated(lesson, name, profile)));
  }
  return found;
}

async function simulated(lesson: Lesson, name: string, profile: DeviceProfile): Promise<number> {
  try {
    const experiment = await givenExperiment(lesson, name);
    if (isLongerThan(mostOperations, experiment)) return 0;
    // Others have their turn before each: an animation, or a key.
    await new Promise((resolve) => setTimeout(resolve));
    return predict(experiment, profile, state().about?.version ?? '').iteration.makespanNs;
  } catch {
    // A variant that can't be simulated has no say in the scale.
    return 0;
  }
}
