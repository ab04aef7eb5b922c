/** The history of the notes on one run: every step has a name and can be undone. */
import { temporal } from 'zundo';
import { createStore } from 'zustand/vanilla';
import type { RunNote } from '../../../core/trace/notes.ts';

interface Moment {
  readonly notes: readonly RunNote[];
  /** Name of the step that led here. */
  readonly step: string;
}

/** Number of steps that can be undone. */
const mostSteps = 200;

export class NoteHistory {
  readonly #store;

  constructor(notes: readonly RunNote[]) {
    this.#store = createStore<Moment>()(temporal((): Moment => ({ notes, step: 'Open' }), { limit: mostSteps }));
  }

  get notes(): readonly RunNote[] {
    return this.#store.getState().notes;
  }

  push(step: string, notes: readonly RunNote[]): void {
    this.#store.setState({ notes, step });
  }

  /** Changes the result of the last step: further words of a note are no step of their own. */
  amend(notes: readonly RunNote[]): void {
    this.#aside(() => this.#store.setState({ notes }));
  }

  /** Undoes the last step without a way to redo it. */
  withdraw(): void {
    const times = this.#store.temporal.getState();
    const left = times.futureStates;
    times.undo();
    this.#store.temporal.setState({ futureStates: left });
  }

  #aside(act: () => void): void {
    const times = this.#store.temporal.getState();
    times.pause();
    act();
    times.resume();
  }

  /** Undoes or redoes a step. Returns its name, or null if there was none. */
  travel(way: 'undo' | 'redo'): string | null {
    const times = this.#store.temporal.getState();
    if (way === 'undo') {
      if (times.pastStates.length === 0) return null;
      const { step } = this.#store.getState();
      times.undo();
      return step;
    }
    if (times.futureStates.length === 0) return null;
    times.redo();
    return this.#store.getState().step;
  }
}
