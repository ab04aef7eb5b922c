/** Returns an experiment's program as text, without its name and number of iterations. */
import type { Experiment } from './experiment.ts';

const texts = new WeakMap<Experiment, string>();

/** Cached, because experiments never change. */
export function programText(experiment: Experiment): string {
  const known = texts.get(experiment);
  if (known !== undefined) return known;
  const environment = { ...experiment.environment, iterations: 0, warmups: 0 };
  const made = JSON.stringify({ ...experiment, environment, name: '', description: '' });
  texts.set(experiment, made);
  return made;
}
