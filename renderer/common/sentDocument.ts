/**
 * An open document on its way to a worker: whole at first, as text, which takes the window a third of the time that a copy
 * takes; then what each edit made different. The worker's document shares what edits leave as it is, like the window's.
 */
import { type Difference, difference, withDifference } from '../../core/experiment/edit/difference.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';

export type SentDocument =
  | { readonly revision: number; readonly text: string }
  /** Of the revision before this one; null where both are the same. */
  | { readonly revision: number; readonly difference: Difference | null };

/** What a worker answers that has not the revision before: the question is to be sent again, with the whole document. */
export interface Stale {
  readonly kind: 'stale';
  readonly ticket: number;
}

/** The window's side, for one worker. */
export class DocumentSender {
  #sent: Experiment | null = null;
  #revision = 0;

  send(document: Experiment): SentDocument {
    const before = this.#sent;
    this.#sent = document;
    this.#revision += 1;
    return before !== null && isNext(before, document)
      ? { revision: this.#revision, difference: difference(before, document) }
      : { revision: this.#revision, text: JSON.stringify(document) };
  }

  /** The next one is sent whole: the worker has ended, or has lost it. */
  forget(): void {
    this.#sent = null;
  }
}

/** Whether a document surely is another moment of the one before, and not another one: they share operations. */
function isNext(before: Experiment, document: Experiment): boolean {
  const isShared = (at: 0 | -1): boolean =>
    document.threads.some(({ operations }, thread) => {
      const operation = operations.at(at);
      return operation !== undefined && operation === before.threads[thread]?.operations.at(at);
    });
  return before === document || isShared(0) || isShared(-1);
}

/** The worker's side. */
export class DocumentReceiver {
  #document: Experiment | null = null;
  #revision = 0;

  /** Null where what came is a difference from a revision that is not here. */
  receive(sent: SentDocument): Experiment | null {
    if ('text' in sent) this.#document = JSON.parse(sent.text) as Experiment;
    else if (this.#document === null || sent.revision !== this.#revision + 1) return null;
    else if (sent.difference !== null) this.#document = withDifference(this.#document, sent.difference) as Experiment;
    this.#revision = sent.revision;
    return this.#document;
  }
}
