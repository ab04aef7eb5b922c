/**
 * Finds remedies for hazards as changes to the experiment. Tries several, the smallest first, and offers one only if
 * the changed experiment is valid, lacks the hazard and has no new one.
 */
import { applyChange, type Change, type DocumentPath, joinChanges } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import { streamTitle } from '../../experiment/resources.ts';
import { lowerUnverified } from '../../program/lower.ts';
import type { Program } from '../../program/program.ts';
import { valueAtPath } from '../../shape/path.ts';
import { atOnce, type InSteps } from '../../steps.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import type { Hazard, HazardOperation, HazardReport } from './hazard.ts';
import { findHazardsInSteps } from './hazards.ts';

/** Limits, because each tried change means checking the whole program again. */
const mostTried = 20;
const mostOperations = 5000;
const mostRepairs = 6;

/** Remaining work, in checked operations of about 20 µs each. Tests and people wait for it. */
export class Effort {
  #left: number;

  constructor(operations: number) {
    this.#left = operations;
  }

  spend(operations: number): void {
    this.#left -= operations;
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }
}

/** An experiment and its check. */
interface Looked {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly report: HazardReport;
}

const known = new WeakMap<Experiment, Looked>();

const look = (experiment: Experiment, effort: Effort): Looked => atOnce(lookInSteps(experiment, effort));

function* lookInSteps(experiment: Experiment, effort: Effort): InSteps<Looked> {
  const before = known.get(experiment);
  if (before !== undefined) return before;
  const program = lowerUnverified(experiment);
  effort.spend(program.operations.length);
  yield;
  const looked = { experiment, program, report: yield* findHazardsInSteps(program) };
  known.set(experiment, looked);
  return looked;
}

/** Returns the hazards of an experiment, with a change where possible, for `copyscope check` and the window. */
export function checkExperiment(experiment: Experiment): HazardReport {
  const effort = new Effort(mostTried * mostOperations);
  const looked = look(experiment, effort);
  const { program, report } = looked;
  if (program.operations.length > mostOperations) return report;
  const hazards = report.hazards.map((hazard, index) =>
    index < mostTried && !effort.isOver ? { ...hazard, change: repair(looked, hazard, effort) } : hazard,
  );
  return { ...report, hazards };
}

/** Returns the hazards of an experiment without changes. They are cached as long as the experiment exists. */
export const hazardsOf = (experiment: Experiment): HazardReport => atOnce(hazardsInSteps(experiment));

export function* hazardsInSteps(experiment: Experiment): InSteps<HazardReport> {
  return (yield* lookInSteps(experiment, new Effort(0))).report;
}

/** Returns the change for the hazard at `index` of the report, or null if none is known. */
export function repairOf(experiment: Experiment, index: number): Change | null {
  const effort = new Effort(0);
  const looked = look(experiment, effort);
  const hazard = looked.report.hazards[index];
  const isShort = looked.program.operations.length <= mostOperations;
  return hazard === undefined || !isShort ? null : repair(looked, hazard, effort);
}

const eventsOf = ({ events }: Experiment): ReadonlySet<string> => new Set(events.map(({ id }) => id));
const noEvents: ReadonlySet<string> = new Set();

/** Returns a change that removes this hazard and adds no other, or null if no tried change does. It may use `events`. */
function repair(looked: Looked, hazard: Hazard, effort: Effort, events = eventsOf(looked.experiment)): Change | null {
  const others = looked.report.hazards.filter((one) => one !== hazard);
  const removes = (change: Change): boolean => newHazards(looked, others, change, effort)?.hazards.length === 0;
  return [...recordsEarlier(looked), ...candidates(looked, hazard, events)].find(removes) ?? null;
}

/**
 * Returns the change plus repairs of the hazards it adds, such as a wait for data that now comes from another stream;
 * null if they can't be repaired, it doesn't fit the experiment, or the effort is spent.
 */
export function withoutNewHazards(
  experiment: Experiment,
  change: Change,
  effort: Effort,
  most = mostRepairs,
): Change | null {
  const before = look(experiment, effort);
  let whole = change;
  for (let repairs = 0; repairs <= most && !effort.isOver; repairs += 1) {
    const added = newHazards(before, before.report.hazards, whole, effort);
    if (added === null) return null;
    const [hazard] = added.hazards;
    if (hazard === undefined) return whole;
    // Its own events are where they are for a reason: moving them could undo the change.
    const more = repair(added.after, hazard, effort, noEvents);
    if (more === null) return null;
    whole = joinChanges(whole, more);
  }
  return null;
}

/** Repairs the hazards that a change is known for, in turn, as far as `effort` goes; null if there are none. */
export function repaired(experiment: Experiment, effort: Effort, most = mostRepairs): Change | null {
  let whole: Change | null = null;
  let now = experiment;
  for (let repairs = 0; repairs < most && !effort.isOver; repairs += 1) {
    const looked = look(now, effort);
    let change: Change | null = null;
    for (const hazard of looked.report.hazards) change ??= repair(looked, hazard, effort, eventsOf(experiment));
    if (change === null) return whole;
    whole = whole === null ? change : joinChanges(whole, change);
    now = applyChange(now, change);
  }
  return whole;
}

interface Added {
  readonly after: Looked;
  readonly hazards: readonly Hazard[];
}

/** Returns the hazards that the change adds to `old`; null if it doesn't fit or the check covers less. */
function newHazards(before: Looked, old: readonly Hazard[], change: Change, effort: Effort): Added | null {
  const after = afterChange(before.experiment, change, effort);
  if (after === null || after.report.limits.length > before.report.limits.length) return null;
  const keys = new Set(old.map(keyOf));
  return { after, hazards: after.report.hazards.filter((one) => !keys.has(keyOf(one))) };
}

function afterChange(experiment: Experiment, change: Change, effort: Effort): Looked | null {
  try {
    return look(applyChange(experiment, change), effort);
  } catch {
    // The change doesn't fit, for example a synchronise inside a captured graph.
    return null;
  }
}

const keyOf = ({ kind, first, second, buffer }: Hazard): string =>
  [kind, buffer ?? '', ...[first.id, second.id].sort()].join(' ');

interface Side {
  readonly path: DocumentPath;
  readonly operation: Operation;
  readonly label: string;
  /** Id of the stream in the document; null for the host's own work. */
  readonly stream: string | null;
  readonly thread: string;
}

function candidates({ experiment, program, report }: Looked, hazard: Hazard, events: ReadonlySet<string>): Change[] {
  const recordLater = (a: Side, b: Side): Change[] => recordedLater(experiment, a, b, events);
  const recorded = (a: Side, b: Side): Change[] => throughRecorded(experiment, a, b, events);
  const [first, second] = [side(experiment, program, hazard.first), side(experiment, program, hazard.second)];
  if (first === null || second === null || hazard.kind === 'endless-wait') return [];
  if (hazard.kind === 'timing-unsynchronised') return [synchronizeEvent(experiment, first, second)];
  if (hazard.kind === 'reused-in-use' && first.stream !== null && hazard.buffer !== null) {
    return [recordStream(experiment, hazard.buffer, first, first.stream)];
  }
  if (first.thread !== second.thread) {
    // A signal may order the two threads already.
    const isInStreams = first.stream !== null && second.stream !== null;
    return [
      ...(isInStreams
        ? [throughEvent(experiment, [[first, second]]), throughEvent(experiment, [[second, first]])]
        : []),
      throughSignal(experiment, first, second),
    ];
  }
  if (second.stream === null)
    return [
      ...recordLater(first, second),
      synchronizeStream(experiment, first, second),
      synchronizeDevice(experiment, second),
    ];
  if (first.stream === null) return [...recordLater(second, first), synchronizeStream(experiment, second, first)];
  const alike = report.hazards.filter(({ kind, buffer }) => kind === hazard.kind && buffer === hazard.buffer);
  /** Returns the operations in the list and stream of `one` that meet `other` on this memory, in order of the list. */
  const meeting = (one: HazardOperation, other: HazardOperation): HazardOperation[] =>
    alike
      .flatMap((pair) => (pair.first.op === other.op ? [pair.second] : pair.second.op === other.op ? [pair.first] : []))
      .filter(({ stream, path }) => stream === one.stream && listOf(path) === listOf(one.path))
      .sort((a, b) => a.op - b.op);
  /** Orders all of them at once: behind the last one, and before the first one. */
  const whole = (from: HazardOperation, to: HazardOperation): Change[] => {
    const [last = from, earliest = to] = [meeting(from, to).at(-1), meeting(to, from)[0]];
    if (last.op === from.op && earliest.op === to.op) return [];
    const [begin, end] = [side(experiment, program, last), side(experiment, program, earliest)];
    if (begin === null || end === null) return [];
    return [...recorded(begin, end), throughEvent(experiment, [[begin, end]])];
  };
  return [
    ...recordLater(first, second),
    ...recordLater(second, first),
    ...whole(hazard.first, hazard.second),
    ...whole(hazard.second, hazard.first),
    ...recorded(first, second),
    ...recorded(second, first),
    throughEvent(experiment, [[first, second]]),
    throughEvent(experiment, [[second, first]]),
    throughEvent(experiment, [
      [first, second],
      [second, first],
    ]),
  ];
}

const listOf = (path: string): string => path.replace(/\[\d+\]$/, '');

function side(experiment: Experiment, program: Program, { op, label, thread, stream }: HazardOperation): Side | null {
  const path = program.operations[op]?.path;
  if (path === undefined) return null;
  const operation = valueAtPath(experiment, path) as Operation;
  const declared = 'stream' in operation && stream !== null ? operation.stream : null;
  const isBlocking = operation.op === 'copy' && operation.mode === 'blocking-memcpy';
  return { path, operation, label, thread, stream: isBlocking ? 'default' : declared };
}

/**
 * Lets the event be recorded behind its producer, `second`, before the wait for it, if the list has them the other way
 * round: a wait binds to the latest record issued before it, and to nothing without one. Moves the wait if only others
 * stand in between, or else the producer.
 */
function recordEarlier(experiment: Experiment, first: Side, second: Side, buffer: string | null): Change[] {
  const path = first.path.slice(0, -1);
  if (path.join('.') !== second.path.slice(0, -1).join('.')) return [];
  // An event behind a reader says that the memory is free again: its record may well come after the wait, for the next round.
  if (touchedBuffers(second.operation)?.writes.includes(buffer ?? '') !== true) return [];
  const [from, to] = [Number(first.path.at(-1)), Number(second.path.at(-1))];
  const operations = valueAtPath(experiment, path) as readonly Operation[];
  const before = operations.slice(0, from);
  const wait = before.findLastIndex((one) => one.op === 'waitEvent' && one.stream === first.stream);
  const waited = operations[wait];
  if (waited?.op !== 'waitEvent') return [];
  const record = operations.findIndex((one) => one.op === 'recordEvent' && one.event === waited.event);
  const recorded = operations[record];
  if (recorded?.op !== 'recordEvent' || recorded.stream !== second.stream || record < to) return [];
  const between = operations.slice(wait + 1, record + 1);
  const edit = new ChangeBuilder(experiment);
  if (!between.some((one) => 'operations' in one || ('stream' in one && one.stream === first.stream))) {
    return [
      edit
        .step(`Let ${named(experiment, first.stream)} wait for event "${waited.event}" only behind its record.`)
        .after([...path, record], waited)
        .remove([...path, wait]).change,
    ];
  }
  // A call that waits for the device, or work of other streams, may need what it would pass.
  if (!between.every((one) => 'stream' in one && [first.stream, second.stream].includes(one.stream))) return [];
  for (const [index, one] of between.entries()) {
    if (!('stream' in one) || one.stream !== second.stream) continue;
    edit.before([...path, wait], one).remove([...path, wait + 1 + index]);
  }
  return [
    edit.step(`Issue "${second.label}" and the record of event "${waited.event}" before the wait for that event.`)
      .change,
  ];
}

/** Returns the changes that record events before the waits for them. One may be the root of other hazards too. */
function recordsEarlier({ experiment, program, report }: Looked): Change[] {
  return report.hazards.flatMap((hazard) => {
    const [first, second] = [side(experiment, program, hazard.first), side(experiment, program, hazard.second)];
    if (first === null || second === null || hazard.kind !== 'unordered-streams') return [];
    return [
      ...recordEarlier(experiment, first, second, hazard.buffer),
      ...recordEarlier(experiment, second, first, hazard.buffer),
    ];
  });
}

/** Returns a stream as the score names it. */
const named = (experiment: Experiment, stream: string | null): string =>
  `stream "${streamTitle(stream ?? 'default', experiment.environment)}"`;

function synchronizeStream(experiment: Experiment, first: Side, second: Side): Change {
  return new ChangeBuilder(experiment)
    .step(`Synchronise ${named(experiment, first.stream)} before "${second.label}".`)
    .before(second.path, { op: 'synchronizeStream', stream: first.stream }).change;
}

function synchronizeDevice(experiment: Experiment, second: Side): Change {
  return new ChangeBuilder(experiment)
    .step(`Synchronise the device before "${second.label}".`)
    .before(second.path, { op: 'synchronizeDevice' }).change;
}

function synchronizeEvent(experiment: Experiment, record: Side, elapsed: Side): Change {
  const event = 'event' in record.operation ? record.operation.event : '';
  return new ChangeBuilder(experiment)
    .step(`Synchronise event "${event}" before "${elapsed.label}".`)
    .before(elapsed.path, { op: 'synchronizeEvent', event }).change;
}

function recordStream(experiment: Experiment, buffer: string, use: Side, stream: string): Change {
  return new ChangeBuilder(experiment)
    .step(`Record ${named(experiment, stream)} for "${buffer}" after "${use.label}".`)
    .after(use.path, { op: 'recordStream', buffer, stream }).change;
}

function throughEvent(experiment: Experiment, links: readonly (readonly [from: Side, to: Side])[]): Change {
  const edit = new ChangeBuilder(experiment);
  for (const [from, to] of links) {
    const event = edit.declare('events', 'ordered', { timing: false });
    edit
      .step(
        `Record an event after "${from.label}", and let ${named(experiment, to.stream)} wait for it before "${to.label}".`,
      )
      .after(from.path, { op: 'recordEvent', event, stream: from.stream })
      .before(to.path, { op: 'waitEvent', event, stream: to.stream });
  }
  return edit.change;
}

/** Lets the stream of `to` wait for an event that is recorded behind `from` already. */
function throughRecorded(experiment: Experiment, from: Side, to: Side, events: ReadonlySet<string>): Change[] {
  const list = valueAtPath(experiment, from.path.slice(0, -1)) as readonly Operation[];
  const record = list
    .slice(Number(from.path.at(-1)))
    .find((one) => one.op === 'recordEvent' && one.stream === from.stream);
  if (record?.op !== 'recordEvent' || !events.has(record.event)) return [];
  const { event } = record;
  return [
    new ChangeBuilder(experiment)
      .step(
        `Let ${named(experiment, to.stream)} wait for event "${event}", recorded after "${from.label}", before "${to.label}".`,
      )
      .before(to.path, { op: 'waitEvent', event, stream: to.stream }).change,
  ];
}

/** Records an event behind `first` for which `second` waits already, if its record comes before `first`. */
function recordedLater(experiment: Experiment, first: Side, second: Side, events: ReadonlySet<string>): Change[] {
  const path = first.path.slice(0, -1);
  const list = valueAtPath(experiment, path) as readonly Operation[];
  const isAwaited = (event: string): boolean =>
    list.some((one) =>
      second.stream === null
        ? one.op === 'synchronizeEvent' && one.event === event
        : one.op === 'waitEvent' && one.event === event && one.stream === second.stream,
    );
  const at = list
    .slice(0, Number(first.path.at(-1)))
    .findLastIndex((one) => one.op === 'recordEvent' && one.stream === first.stream && isAwaited(one.event));
  const record = list[at];
  if (record?.op !== 'recordEvent' || !events.has(record.event)) return [];
  return [
    new ChangeBuilder(experiment)
      .step(`Record event "${record.event}" after "${first.label}", not before it.`)
      .after(first.path, record)
      .remove([...path, at]).change,
  ];
}

/** Orders the operations by a signal between their threads, and by an event if they run in streams. */
function throughSignal(experiment: Experiment, first: Side, second: Side): Change {
  const edit = new ChangeBuilder(experiment);
  const signal = edit.declare('signals', 'handover');
  const words = `Let host thread "${second.thread}" wait for a signal of "${first.thread}" before "${second.label}"`;
  edit.after(first.path, { op: 'signal', signal });
  edit.before(second.path, { op: 'waitSignal', signal });
  if (first.stream === null) return edit.step(`${words}.`).change;
  if (second.stream === null) {
    edit.after(first.path, { op: 'synchronizeStream', stream: first.stream });
    return edit.step(`${words}, given when ${named(experiment, first.stream)} is synchronised.`).change;
  }
  const event = edit.declare('events', 'ordered', { timing: false });
  edit.after(first.path, { op: 'recordEvent', event, stream: first.stream });
  edit.before(second.path, { op: 'waitEvent', event, stream: second.stream });
  return edit.step(`${words}, and ${named(experiment, second.stream)} for an event recorded after "${first.label}".`)
    .change;
}
