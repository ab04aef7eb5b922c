/** The history of an open document: every step has a name and can be undone. */
import { temporal } from 'zundo';
import { createStore } from 'zustand/vanilla';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Origin } from './ownCopy.ts';
import type { Selection } from './types.ts';

/** The selection on both sides of a step. */
export interface StepSelection {
  readonly before: Selection | null;
  readonly after: Selection | null;
}

interface Moment {
  readonly experiment: Experiment;
  /** Name of the step that led here. */
  readonly step: string;
  /** Null if the step selects nothing. */
  readonly selection: StepSelection | null;
  /** The experiment before the remedies that led here; null if another step did. */
  readonly beforeRemedy: Experiment | null;
}

/** Number of steps that can be undone. It bounds the memory of states, of which most share unchanged parts. */
const mostSteps = 300;

export class DocumentHistory {
  /** The document that an edit copied to make this one; null for an independent document. */
  origin: Origin | null = null;
  #saved: Experiment;
  readonly #store;

  constructor(experiment: Experiment) {
    this.#saved = experiment;
    const first: Moment = { experiment, step: 'Open', selection: null, beforeRemedy: null };
    this.#store = createStore<Moment>()(temporal(() => first, { limit: mostSteps }));
  }

  get experiment(): Experiment {
    return this.#store.getState().experiment;
  }

  /** The experiment as the host has it. */
  get saved(): Experiment {
    return this.#saved;
  }

  /** Notes that the host has this experiment. A document saved or renamed by the user is no mere copy any more. */
  keep(experiment: Experiment): void {
    this.#saved = experiment;
    this.origin = null;
  }

  /** Number of steps that can be undone. */
  get steps(): number {
    return this.#times.pastStates.length;
  }

  /** Name of the step that undo() takes back; null if there is none. */
  get undoName(): string | null {
    return this.steps === 0 ? null : this.#store.getState().step;
  }

  get redoName(): string | null {
    return this.#times.futureStates.at(-1)?.step ?? null;
  }

  get dirty(): boolean {
    return this.experiment !== this.#saved;
  }

  push(
    step: string,
    experiment: Experiment,
    { selection = null, isRemedy = false }: { selection?: StepSelection | null; isRemedy?: boolean } = {},
  ): void {
    const { experiment: last, beforeRemedy: before } = this.#store.getState();
    const doesTheSame = experiment.threads === last.threads && experiment.buffers === last.buffers;
    const beforeRemedy = isRemedy ? (before ?? last) : doesTheSame ? before : null;
    this.#store.setState({ experiment, step, selection, beforeRemedy });
  }

  /** The experiment before the last steps, if they were all remedies or renamings; else null. */
  get beforeRemedy(): Experiment | null {
    return this.#store.getState().beforeRemedy;
  }

  /** Undoes the last step. Returns the selection before and after it. */
  undo(): StepSelection | null {
    const { selection } = this.#store.getState();
    this.#times.undo();
    return selection;
  }

  redo(): StepSelection | null {
    this.#times.redo();
    return this.#store.getState().selection;
  }

  get #times() {
    return this.#store.temporal.getState();
  }
}
