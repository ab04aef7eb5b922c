/** Sends events to every connected window. */
import type { RunProgress } from '../../core/program/engine.ts';
import type { Imported, WindowEvents } from '../../core/service/service.ts';

/** A run may report thousands of steps; a person sees about this number per second. */
const progressIntervalMs = 50;

export class Windows implements WindowEvents {
  readonly #windows = new Set<WindowEvents>();
  readonly #unopened: Imported[] = [];
  readonly #told = new Map<string, { phase: RunProgress['phase']; at: number }>();

  readonly recordingChanged = this.#toAll('recordingChanged');
  readonly experimentsChanged = this.#toAll('experimentsChanged');
  readonly profilesChanged = this.#toAll('profilesChanged');
  readonly notesChanged = this.#toAll('notesChanged');
  readonly sweepChanged = this.#toAll('sweepChanged');
  readonly sweepPoint = this.#toAll('sweepPoint');
  readonly remoteChanged = this.#toAll('remoteChanged');
  readonly engineChanged = this.#toAll('engineChanged');

  /** Returns a function that removes the window. */
  add(window: WindowEvents): () => void {
    this.#windows.add(window);
    for (const imported of this.#unopened.splice(0)) window.opened(imported);
    return () => void this.#windows.delete(window);
  }

  runProgress(id: string, progress: RunProgress): void {
    const last = this.#told.get(id);
    const now = performance.now();
    const skip = last?.phase === progress.phase && progress.done < progress.total && now - last.at < progressIntervalMs;
    if (skip) return;
    this.#told.set(id, { phase: progress.phase, at: now });
    for (const window of this.#windows) window.runProgress(id, progress);
  }

  runChanged(...args: Parameters<WindowEvents['runChanged']>): void {
    this.#told.delete(args[0]);
    for (const window of this.#windows) window.runChanged(...args);
  }

  /** The window opened last shows it. Before there is a window, it waits for the first. */
  opened(imported: Imported): void {
    const last = [...this.#windows].at(-1);
    if (last === undefined) this.#unopened.push(imported);
    else last.opened(imported);
  }

  #toAll<Name extends keyof WindowEvents>(name: Name): WindowEvents[Name] {
    const send = (...args: unknown[]): void => {
      for (const window of this.#windows) (window[name] as (...args: unknown[]) => void)(...args);
    };
    return send as WindowEvents[Name];
  }
}
