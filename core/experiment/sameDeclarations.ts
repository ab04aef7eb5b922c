import type { Experiment } from './experiment.ts';

/**
 * Whether two moments of a document surely declare the same, so that an operation of both is shown and lowered alike.
 * Edits share what they leave as it is: this compares objects, and is false of copies that say the same.
 */
export function declaresTheSame(a: Experiment, b: Experiment): boolean {
  return (
    a.buffers === b.buffers &&
    a.streams === b.streams &&
    a.events === b.events &&
    a.signals === b.signals &&
    a.devices === b.devices &&
    a.environment === b.environment &&
    a.threads.length === b.threads.length &&
    a.threads.every(({ id, device }, index) => id === b.threads[index]?.id && device === b.threads[index]?.device)
  );
}
