/** Builds a change from edits whose paths refer to the unchanged document. */
import { type Change, type DocumentPath, insertAt, movedPath, type Patch, replaceAt } from './change.ts';
import type { Experiment } from './experiment.ts';
import { freeName } from './freeName.ts';

export class ChangeBuilder {
  readonly #experiment: Experiment;
  readonly #patches: Patch[] = [];
  readonly #steps: string[] = [];
  readonly #ids: Set<string>;

  constructor(experiment: Experiment) {
    this.#experiment = experiment;
    const { devices, buffers, streams, events, signals, threads } = experiment;
    this.#ids = new Set([devices, buffers, streams, events, signals, threads].flat().map(({ id }) => id));
  }

  get change(): Change {
    return { steps: this.#steps, patches: this.#patches };
  }

  /** Adds a sentence that describes a change. */
  step(sentence: string): this {
    this.#steps.push(sentence);
    return this;
  }

  /** Inserts an operation right before the one at `path`, after earlier insertions there. */
  before(path: DocumentPath, operation: object): this {
    return this.#insert(path, 0, operation);
  }

  after(path: DocumentPath, operation: object): this {
    return this.#insert(path, 1, operation);
  }

  replace(path: DocumentPath, value: unknown): this {
    const moved = movedPath(path, this.#patches);
    if (moved !== null) this.#patches.push(replaceAt(moved, value));
    return this;
  }

  remove(path: DocumentPath): this {
    const moved = movedPath(path, this.#patches);
    if (moved !== null) this.#patches.push({ op: 'remove', path: [...moved] });
    return this;
  }

  /** Adds a declaration with a free name, and returns the name. */
  declare(list: 'buffers' | 'events' | 'streams' | 'signals' | 'threads', name: string, fields: object = {}): string {
    const id = freeName(name, this.#ids);
    this.#ids.add(id);
    const added = this.#patches.filter(({ op, path }) => op === 'add' && path[0] === list).length;
    this.#patches.push(insertAt([list, this.#experiment[list].length + added], { id, ...fields }));
    return id;
  }

  #insert(path: DocumentPath, offset: number, operation: object): this {
    const moved = movedPath(path, this.#patches);
    const at = moved?.at(-1);
    if (moved === null || typeof at !== 'number') return this;
    this.#patches.push(insertAt(moved.with(-1, at + offset), operation));
    return this;
  }
}
