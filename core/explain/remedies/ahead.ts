/** Launches what comes next before the host works on what has arrived, so that the device has work then. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { newCopies, type Operation, type OperationOf } from '../../experiment/operations.ts';
import { steps } from '../../program/unroll.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { touchedBuffers } from '../verdicts/facts.ts';

/** Host work for which the device waits. */
export interface IdleWork {
  readonly name: string;
  /** Time in all rounds. */
  readonly ns: number;
}

export function launchAhead(experiment: Experiment): Change | null {
  const lists = new Ahead(experiment);
  const edit = new ChangeBuilder(experiment);
  for (const [thread, { operations }] of experiment.threads.entries()) {
    const before = lists.idle.size;
    const made = lists.of(operations, 1);
    if (lists.idle.size > before) edit.replace(['threads', thread, 'operations'], made);
  }
  if (lists.idle.size === 0) return null;
  return edit.step('Launch the next device work before the host works on arrived data, if it does not need the result.')
    .change;
}

/** Returns the work that could overlap what is launched after it, by the id of the last copy before its wait. */
export function idleWork(experiment: Experiment): ReadonlyMap<string, IdleWork> {
  const lists = new Ahead(experiment);
  for (const { operations } of experiment.threads) lists.of(operations, 1);
  return lists.idle;
}

class Ahead {
  readonly idle = new Map<string, IdleWork>();
  readonly #inHostMemory: ReadonlySet<string>;

  constructor({ buffers }: Experiment) {
    this.#inHostMemory = new Set(buffers.flatMap(({ id, memory }) => (isHostMemory(memory) ? [id] : [])));
  }

  /** Returns the list with launches moved, also from one round of its loops into the one before. */
  of(list: readonly Operation[], rounds: number): Operation[] {
    const made = list.flatMap((one): Operation[] => {
      if (!('operations' in one) || one.op === 'graphCapture') return [one];
      const count = one.op === 'repeat' ? one.count : 1;
      const inner = { ...one, operations: this.of(one.operations, rounds * count) } as Operation;
      return inner.op === 'repeat' ? this.#rotated(inner, rounds) : [inner];
    });
    for (let at = 1; at < made.length; at += 1) {
      const end = at + this.#workFrom(made, at);
      if (end === at || !this.#isWait(made[at - 1])) continue;
      const count = this.#launchesFrom(made, end);
      if (count === 0) continue;
      this.#tell(made, at, end, rounds);
      made.splice(at, 0, ...made.splice(end, count));
      at = end + count - 1;
    }
    return made;
  }

  /** Begins each round with what came behind the first launches, and launches those of the next one before the work. */
  #rotated(loop: Operation & { readonly op: 'repeat' }, rounds: number): Operation[] {
    const { operations: body, count } = loop;
    const begin = body.findLastIndex((one) => !isWork(one)) + 1;
    const launches = this.#launchesFrom(body, 0);
    if (begin === body.length || count < 2 || launches === 0 || launches >= begin || !this.#isWait(body[begin - 1]))
      return [loop];
    this.#tell(body, begin, body.length, rounds * count);
    const [first, rest, work] = [body.slice(0, launches), body.slice(launches, begin), body.slice(begin)];
    const again = { ...loop, count: count - 1, operations: [...rest, ...first.map((one) => moved(one, 1)), ...work] };
    const once = (list: readonly Operation[], round: number): Operation[] =>
      newCopies(list.map((one) => moved(one, round, 0))) as Operation[];
    return [...once(first, 0), again, ...once([...rest, ...work], count - 1)];
  }

  #workFrom(list: readonly Operation[], at: number): number {
    let end = at;
    while (isWork(list[end])) end += 1;
    return end - at;
  }

  /** Returns the number of operations from there on that may come earlier; 0 if none of them launches anything. */
  #launchesFrom(list: readonly Operation[], at: number): number {
    let end = at;
    while (this.#mayPass(list[end])) end += 1;
    return list.slice(at, end).some(({ op }) => op === 'kernel' || op === 'graphLaunch') ? end - at : 0;
  }

  /** Returns whether host work doesn't see the difference: it may read what downloads bring, and what kernels write there. */
  #mayPass(one: Operation | undefined): boolean {
    if (one === undefined || !passing.has(one.op)) return false;
    const writes = touchedBuffers(one)?.writes ?? [];
    return !writes.some((id) => this.#inHostMemory.has(id)) && (one.op !== 'copy' || one.mode === 'async');
  }

  /** Returns whether the host waits there for results: a synchronise, or a download that blocks. */
  #isWait(one: Operation | undefined): boolean {
    if (one?.op === 'copy') return one.mode !== 'async' && this.#inHostMemory.has(one.dst);
    return one !== undefined && (one.op.startsWith('synchronize') || one.op === 'item');
  }

  #tell(list: readonly Operation[], begin: number, end: number, rounds: number): void {
    const copy = list.slice(0, begin).findLast(({ op }) => op === 'copy');
    const works = list.slice(begin, end).flatMap((one) => (one.op === 'work' ? [one] : []));
    const { name, ns } = workOf(works, rounds);
    this.idle.set(copy?.id ?? '', { name, ns: ns + (this.idle.get(copy?.id ?? '')?.ns ?? 0) });
  }
}

/** Returns the name of the longest work, and the time of all of it. */
export function workOf(works: readonly OperationOf<'work'>[], rounds: number): IdleWork {
  const longest: typeof none = works.reduce(
    (most: typeof none, one) => (one.durationNs > most.durationNs ? one : most),
    works[0] ?? none,
  );
  return {
    name: longest.label ?? 'host work',
    ns: rounds * works.reduce((sum, { durationNs }) => sum + durationNs, 0),
  };
}

const none: { readonly durationNs: number; readonly label?: string | undefined } = { durationNs: 0 };

export const passing: ReadonlySet<Operation['op']> = new Set([
  'kernel',
  'memset',
  'copy',
  'graphLaunch',
  'recordEvent',
  'waitEvent',
]);

export const isWork = (one: Operation | undefined): boolean => one?.op === 'work' || one?.op === 'read';

/**
 * Moves an operation of a loop on by some rounds, for a loop of which each round does the work of `each` rounds; 0 is for
 * a place outside the loop.
 */
export function moved(one: Operation, rounds: number, each = 1): Operation {
  const made: Record<string, unknown> = { ...one };
  for (const [step, offset] of steps) {
    const bytes = made[step];
    if (typeof bytes !== 'number') continue;
    made[step] = each * bytes;
    if (each === 0) delete made[step];
    made[offset] = (made[offset] as number) + rounds * bytes;
  }
  return made as unknown as Operation;
}
