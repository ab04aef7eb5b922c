/**
 * An open document on its way to a worker: whole at first, as text, which takes the window a third of the time that a copy
 * takes; then what each edit made different. The worker's document shares what edits leave as it is, like the window's.
 */
import { type Difference, difference, withDifference } from '../../core/experiment/edit/difference.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';

export type SentDocument =
  | { readonly text: string }
  /** From the document that was sent before; null where both are the same. */
  | { readonly difference: Difference | null };

/** `before` is what the worker has; null where it has nothing. */
export const sentDocument = (before: Experiment | null, document: Experiment): SentDocument =>
  before !== null && isNext(before, document)
    ? { difference: difference(before, document) }
    : { text: JSON.stringify(document) };

/** Whether a document surely is another moment of the one before, and not another one: they share operations. */
function isNext(before: Experiment, document: Experiment): boolean {
  const isShared = (at: 0 | -1): boolean =>
    document.threads.some(({ operations }, thread) => {
      const operation = operations.at(at);
      return operation !== undefined && operation === before.threads[thread]?.operations.at(at);
    });
  return isShared(0) || isShared(-1);
}

/** The worker's side. */
export function receivedDocument(before: Experiment | null, sent: SentDocument): Experiment {
  if ('text' in sent) return JSON.parse(sent.text) as Experiment;
  return (sent.difference === null ? before : withDifference(before, sent.difference)) as Experiment;
}
