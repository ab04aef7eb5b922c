/** Checks only what an edit changed. Unchanged parts stay the same objects, so results cached for them hold. */
import { Immer } from 'immer';
import { checkShape } from '../../shape/checkShape.ts';
import { type Experiment, eachOperation, experimentSchema } from '../experiment.ts';
import { OperationIds } from '../operationIds.ts';
import { maxOperations, type NewOperation, type Operation, operationSchema } from '../operations.ts';
import { requireExperiment } from '../parse.ts';
import { areReferencesSound, checkReferences } from '../references.ts';
import { changedPart } from './changedPart.ts';

/** Documents aren't frozen, since freezing goes through all of a document. */
export const drafts = new Immer({ autoFreeze: false });

/**
 * Returns the changed document after checking what is new. Unchanged parts stay the same objects. Throws a
 * CopyscopeError `experiment.invalid` if it isn't valid.
 */
export const checkedDraft = (before: Experiment, draft: Experiment): Experiment =>
  // For the error message, checks the whole document, which gives the field's path.
  checked(before, draft) ?? requireExperiment(draft);

/** Returns null if something is wrong. */
function checked(before: Experiment, draft: Experiment): Experiment | null {
  const found = checkedLists(before, draft);
  if (found === null) return null;
  const threads = draft.threads.map((thread, index) => ({ ...thread, operations: found.lists[index] ?? [] }));
  if (isButForOperations(before, draft)) {
    const made = { ...before, threads };
    return areReferencesSound(made, found.fresh) ? made : null;
  }
  const declared = checkedDeclarations(before, draft);
  if (declared === null) return null;
  const made = { ...declared, threads };
  return checkReferences(made).length === 0 ? made : null;
}

/** Checks everything but the operations. Keeps the old lists if their content is the same. */
function checkedDeclarations(before: Experiment, draft: Experiment): Experiment | null {
  const bare = { ...draft, threads: draft.threads.map((thread) => ({ ...thread, operations: [] })) };
  const shape = checkShape(experimentSchema, bare);
  if (!shape.ok) return null;
  const data = shape.value;
  return {
    ...data,
    environment: draft.environment === before.environment ? before.environment : data.environment,
    devices: kept(before.devices, draft.devices, data.devices),
    buffers: kept(before.buffers, draft.buffers, data.buffers),
    streams: kept(before.streams, draft.streams, data.streams),
    events: kept(before.events, draft.events, data.events),
    signals: kept(before.signals, draft.signals, data.signals),
  };
}

/** Returns whether only operations differ, so that everything else was checked before. */
function isButForOperations(before: Experiment, draft: Experiment): boolean {
  const fields = Object.keys({ ...before, ...draft }) as (keyof Experiment)[];
  return fields.every((field) => {
    const [old, now] = [before[field], draft[field]];
    if (field === 'threads') return holdTheSame(before.threads, draft.threads, isSameThread);
    return old === now || (Array.isArray(old) && Array.isArray(now) && holdTheSame<unknown>(old, now));
  });
}

const isSameThread = (a: Thread, b: Thread): boolean =>
  Object.keys({ ...a, ...b }).every((field) => field === 'operations' || a[field as 'id'] === b[field as 'id']);

type Thread = Experiment['threads'][number];

function holdTheSame<Item>(a: readonly Item[], b: readonly Item[], isSame: (a: Item, b: Item) => boolean = Object.is) {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] as Item));
}

/** Returns the old list if its content is the same. */
const kept = <Item>(before: Item[], draft: readonly Item[], parsed: Item[]): Item[] =>
  holdTheSame(before, draft) ? before : parsed;

/** Deeper groups, which nobody writes by hand, are checked with the whole document. */
const mostLevels = 16;

interface CheckedLists {
  /** Operations of each thread. */
  readonly lists: readonly Operation[][];
  /** Operations that are new. */
  readonly fresh: readonly Operation[];
}

function checkedLists(before: Experiment, draft: Experiment): CheckedLists | null {
  const parts = draft.threads.map(({ operations }, thread) =>
    changedPart(before.threads[thread]?.operations ?? [], operations),
  );
  const known = new Set<Operation>();
  const ids = new DraftIds(draft);
  before.threads.forEach(({ operations }, thread) => {
    const { start, endBefore } = parts[thread] ?? { start: 0, endBefore: operations.length };
    eachOperation(operations.slice(start, endBefore), (operation) => {
      known.add(operation);
      ids.release(operation.id);
    });
  });
  const fresh: Operation[] = [];
  let isSound = true;
  const look = (operations: readonly Operation[], level: number): Operation[] => {
    if (operations.length > maxOperations || level > mostLevels) isSound = false;
    return isSound
      ? operations.map((operation) => (known.has(operation) ? unchanged(operation) : parsed(operation, level)))
      : [];
  };
  const unchanged = (operation: Operation): Operation => {
    eachOperation([operation], ({ id }) => ids.take(id));
    return operation;
  };
  const parsed = (operation: Operation, level: number): Operation => {
    const isGroup = 'operations' in operation;
    const named = { ...operation, id: ids.of(operation) };
    const shape = checkShape(operationSchema, isGroup ? { ...named, operations: [] } : named);
    if (!shape.ok) isSound = false;
    const own = shape.ok ? shape.value : operation;
    const whole = isGroup && 'operations' in own ? { ...own, operations: look(operation.operations, level + 1) } : own;
    fresh.push(whole);
    return whole;
  };
  const lists = draft.threads.map(({ operations }, thread) => {
    const { start, endAfter } = parts[thread] ?? { start: 0, endAfter: operations.length };
    if (operations.length > maxOperations) isSound = false;
    const changed = look(operations.slice(start, endAfter), 0);
    return operations.slice(0, start).concat(changed, operations.slice(endAfter));
  });
  return isSound && ids.areUnique ? { lists, fresh } : null;
}

/** Assigns ids to a draft's new operations, and finds duplicate ids. */
class DraftIds {
  readonly #draft: Experiment;
  /** Ids of operations that the draft may have changed. */
  readonly #released = new Set<string>();
  readonly #taken = new Set<string>();
  #new: OperationIds | null = null;
  #isTwice = false;
  /** Whether the draft introduces an id that an unchanged operation may have. */
  #isBrought = false;

  constructor(draft: Experiment) {
    this.#draft = draft;
  }

  release(id: string): void {
    this.#released.add(id);
  }

  take(id: string): void {
    this.#isTwice ||= this.#taken.has(id);
    this.#isBrought ||= !this.#released.has(id);
    this.#taken.add(id);
  }

  of({ id, op }: NewOperation & { readonly id?: string }): string {
    if (id !== undefined) {
      this.take(id);
      return id;
    }
    this.#new ??= new OperationIds(this.#all());
    return this.#new.next(op);
  }

  get areUnique(): boolean {
    if (this.#isTwice || !this.#isBrought) return !this.#isTwice;
    const all = this.#all();
    return new Set(all).size === all.length;
  }

  #all(): string[] {
    const all: string[] = [];
    for (const { operations } of this.#draft.threads) {
      eachOperation(operations, ({ id }: { readonly id?: string }) => id !== undefined && all.push(id));
    }
    return all;
  }
}
