/**
 * One time scale for a lesson's variants, so that a copy half as long looks half as long from step to step. Variants
 * that are far shorter than the longest get their own scale, so that they stay readable.
 */
import { useEffect } from 'react';
import type { Lesson } from '../../core/apps/lessons/lesson.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { isLongerThan, predict } from '../predict/predict.ts';
import { chosenProfile } from '../predict/usePrediction.ts';
import { setExtent } from '../store/lessonView.ts';
import { state, useApp } from '../store/store.ts';
import { givenExperiment, type OpenStep, recordingOf } from './useLesson.ts';

/** Longer programs aren't simulated only to find their scale. */
const mostOperations = 4000;
/** A lane that is shorter than the plot by this factor can still be read. */
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

/** Returns the longest makespan among the variants near the shown one, or null if unknown. */
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

/** Returns the longer of the recorded and the simulated makespan, by experiment name. */
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
    // Lets other tasks run before each simulation, such as an animation or a key.
    await new Promise((resolve) => setTimeout(resolve));
    return predict(experiment, profile, state().about?.version ?? '').iteration.makespanNs;
  } catch {
    // A variant that can't be simulated doesn't affect the scale.
    return 0;
  }
}
