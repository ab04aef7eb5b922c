/** Changes to waits between host threads, and between a stream and its host functions. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { describeOperation } from '../../experiment/describe.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { type Effort, withoutNewHazards } from '../hazards/repair.ts';
import { isPlace, listOf, namesOf, type Place, places } from './situation.ts';

/** Returns what `find` finds for each operation. `behind` returns up to `most` operations behind it in its list. */
const inLists = <Found>(
  experiment: Experiment,
  find: (one: Place, behind: (most?: number) => readonly Place[]) => Found | null,
): Found[] =>
  [...groupBy(places(experiment), listOf).values()].flatMap((list) =>
    list.flatMap((one, at) => find(one, (most = list.length) => list.slice(at + 1, at + 1 + most)) ?? []),
  );

/** Returns the operations up to the first of another kind. */
function leading(list: readonly Place[], ...kinds: readonly string[]): readonly Place[] {
  const end = list.findIndex(({ operation: { op } }) => !kinds.includes(op));
  return end < 0 ? list : list.slice(0, end);
}

const streamsWithKernels = (experiment: Experiment): ReadonlySet<string> =>
  new Set(places(experiment).flatMap(({ operation }) => (operation.op === 'kernel' ? [operation.stream] : [])));

/** Declares a non-blocking stream on the device of another one. */
function ownStreamOf(experiment: Experiment, edit: ChangeBuilder, name: string, other: string): string {
  const { device } = experiment.streams.find(({ id }) => id === other) ?? {};
  return edit.declare('streams', name, { flags: 'non-blocking', ...(device === undefined ? {} : { device }) });
}

/** A wait for a signal, the host work behind it, and what comes next. */
interface EarlyWait {
  readonly wait: Place<OperationOf<'waitSignal'>>;
  readonly work: readonly Place[];
  readonly next: Place | undefined;
}

/**
 * Returns waits with host work behind them, for signals that another thread gives before it does anything: such a signal
 * says that memory is free, and brings no data.
 */
export function earlyWaits(experiment: Experiment): EarlyWait[] {
  const given = new Set(
    experiment.threads.flatMap(({ operations }) => {
      const first = operations.findIndex(({ op }) => op !== 'signal');
      return operations.slice(0, first).flatMap((one) => (one.op === 'signal' ? [one.signal] : []));
    }),
  );
  return inLists(experiment, (wait, behind) => {
    if (!isPlace('waitSignal')(wait) || !given.has(wait.operation.signal)) return null;
    const work = leading(behind(), 'work', 'read', 'write');
    return work.length === 0 ? null : { wait, work, next: behind()[work.length] };
  });
}

/** Waits for signals that memory is free only behind host work that doesn't use this memory. */
export function waitLater(experiment: Experiment, effort: Effort): Change | null {
  const edit = new ChangeBuilder(experiment);
  for (const { wait, work } of earlyWaits(experiment)) {
    const names = namesOf(work.map(({ operation }) => describeOperation(operation, experiment)));
    edit.step(`Wait for signal "${wait.operation.signal}" behind ${names}, if they use nothing that it stands for.`);
    edit.after((work.at(-1) as Place).path, wait.operation).remove(wait.path);
  }
  return edit.change.patches.length === 0 ? null : withoutNewHazards(experiment, edit.change, effort, 0);
}

/**
 * Lets the thread that a signal goes to wait for a copy, in a stream without kernels, if the thread that gives the signal
 * waits for the copy only to give it.
 */
export function waitElsewhere(experiment: Experiment, effort: Effort): Change | null {
  const busy = streamsWithKernels(experiment);
  const waits = places(experiment).filter(isPlace('waitSignal'));
  const edit = new ChangeBuilder(experiment);
  inLists(experiment, (copy, behind) => {
    const [wait, given] = behind(2);
    if (!isPlace('copy')(copy) || wait?.operation.op !== 'synchronizeStream') return null;
    let { stream } = copy.operation;
    if (wait.operation.stream !== stream || given?.operation.op !== 'signal') return null;
    if (busy.has(stream)) {
      stream = ownStreamOf(experiment, edit, 'copies', stream);
      edit.replace([...copy.path, 'stream'], stream);
      const name = describeOperation(copy.operation, experiment);
      edit.step(`Move "${name}" to a non-blocking stream of its own, "${stream}".`);
    }
    const { signal } = given.operation;
    edit.remove(wait.path);
    for (const { operation, path } of waits) {
      if (operation.signal === signal) edit.after(path, { op: 'synchronizeStream', stream });
    }
    edit.step(`Let those that wait for signal "${signal}" wait for stream "${stream}", not the thread that gives it.`);
    return null;
  });
  return edit.change.patches.length === 0 ? null : withoutNewHazards(experiment, edit.change, effort);
}

/** A host function in a stream with kernels, and the copy right before it, whose data it works on. */
interface Holding {
  readonly held: Place<OperationOf<'hostFunction'>>;
  readonly copy: Place<OperationOf<'copy'>> | null;
  /** Records of events right behind it: they stand for the function. */
  readonly records: readonly Place[];
}

export function holdingFunctions(experiment: Experiment): Holding[] {
  const busy = streamsWithKernels(experiment);
  const isHeld = (one: Place | undefined): one is Holding['held'] =>
    one !== undefined && isPlace('hostFunction')(one) && busy.has(one.operation.stream);
  return inLists(experiment, (copy, behind) => {
    const [held] = behind(1);
    if (!isHeld(held)) return null;
    return { held, copy: isPlace('copy')(copy) ? copy : null, records: leading(behind().slice(1), 'recordEvent') };
  });
}

/** Moves host functions out of streams with kernels. The host waits for them too wherever it waits for those streams. */
export function functionsApart(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const own = new Map<string, string>();
  const all = places(experiment);
  if (all.some(({ operation }) => operation.op === 'graphCapture')) return null;
  for (const { held, copy, records } of holdingFunctions(experiment)) {
    const { stream } = held.operation;
    const apart = own.get(stream) ?? ownStreamOf(experiment, edit, 'functions', stream);
    own.set(stream, apart);
    const ready = edit.declare('events', 'ready', { timing: false });
    edit.before(held.path, { op: 'recordEvent', event: ready, stream });
    edit.before(held.path, { op: 'waitEvent', event: ready, stream: apart });
    for (const { path } of [held, ...records]) edit.replace([...path, 'stream'], apart);
    const name = describeOperation(held.operation, experiment);
    edit.step(`Move "${name}" to stream "${apart}", behind an event, if no later work needs what it does.`);
    if (copy === null || copy.operation.dstStepBytes !== undefined) continue;
    // The next copy to this place must not change what the function still reads.
    const read = edit.declare('events', 'read', { timing: false });
    edit.after(held.path, { op: 'recordEvent', event: read, stream: apart });
    edit.before(copy.path, { op: 'waitEvent', event: read, stream: copy.operation.stream });
  }
  for (const { operation, path } of all) {
    const apart = operation.op === 'synchronizeStream' ? own.get(operation.stream) : undefined;
    if (apart !== undefined) edit.after(path, { op: 'synchronizeStream', stream: apart });
  }
  return own.size === 0 ? null : edit.change;
}
