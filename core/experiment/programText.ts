/** What an experiment does, as text: without what it is called and how often a run repeats it. */
import type { Experiment } from './experiment.ts';

const texts = new WeakMap<Experiment, string>();

/** Experiments never change, so it is made once for each. */
export function programText(experiment: Experiment): string {
  const known = texts.get(experiment);
  if (known !== undefined) return known;
  const environment = { ...experiment.environment, iterations: 0, warmups: 0 };
  const made = JSON.stringify({ ...experiment, environment, name: '', description: '' });
  texts.set(experiment, made);
  return made;
}
