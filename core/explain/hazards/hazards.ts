/** Turns the findings of find.ts into hazards with names, words and rules. */

import { groupBy } from '../../groupBy.ts';
import type { OperationInfo, Program } from '../../program/program.ts';
import { fieldPath, startsWith } from '../../shape/path.ts';
import { atOnce, type InSteps } from '../../steps.ts';
import type { Conflict } from './conflicts.ts';
import { type EndlessWait, endlessWords } from './endlessWaits.ts';
import { findConflictsInSteps } from './find.ts';
import type { Hazard, HazardOperation, HazardReport } from './hazard.ts';
import type { Touch } from './touches.ts';
import { describeRegion, type HazardNames, hazardRules, hazardWords, type MeetingKind } from './words.ts';

/** Finds hazards for every machine, without a run. repair.ts and evidence.ts set `change` and `evidence` later. */
export const findHazards = (program: Program): HazardReport => atOnce(findHazardsInSteps(program));

export function* findHazardsInSteps(program: Program): InSteps<HazardReport> {
  const { conflicts, lifetimes, timing, endless, limits } = yield* findConflictsInSteps(program);
  const names = new Names(program);
  const hazards = [
    ...meetings(names, conflicts).map(({ kind, first, second, buffer, from, to }) =>
      names.hazard(kind, first, second, buffer, from, to),
    ),
    ...lifetimes.map(({ kind, buffer, first, second }) => names.hazard(kind, first, second, buffer)),
    ...timing.map(({ record, elapsed }) =>
      names.hazard('timing-unsynchronised', record < 0 ? elapsed : record, elapsed, -1),
    ),
    ...endless.map((wait) => names.endlessWait(wait)),
  ];
  const later = ({ first, second }: Hazard): number => Math.max(first.op, second.op);
  return { hazards: hazards.sort((a, b) => later(a) - later(b) || a.first.op - b.first.op), limits };
}

interface Meeting {
  readonly kind: MeetingKind;
  readonly first: number;
  readonly second: number;
  readonly buffer: number;
  from: number;
  to: number;
}

/** Merges conflicts of the same two operations: a pair that both reads and writes a region is reported once. */
function meetings(names: Names, conflicts: readonly Conflict[]): Meeting[] {
  const found = new Map<string, Meeting>();
  for (const conflict of conflicts) {
    const meeting = meetingOf(names, conflict);
    const key = `${meeting.kind} ${meeting.buffer} ${meeting.first} ${meeting.second}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, meeting);
    else [known.from, known.to] = [Math.min(known.from, meeting.from), Math.max(known.to, meeting.to)];
  }
  return [...found.values()];
}

function meetingOf(names: Names, { first, second, from, to }: Conflict): Meeting {
  // A person sees the host's own access as the mistake, so it comes second, whatever the document's order.
  const isHostFirst = first.where === 'host' && second.where === 'stream';
  const inDocument = first.op <= second.op ? [first, second] : [second, first];
  const [one, other] = isHostFirst ? [second, first] : first.where === second.where ? inDocument : [first, second];
  if (one === undefined || other === undefined) throw new RangeError('a conflict is between two touches');
  return { kind: kindOf(names, one, other), first: one.op, second: other.op, buffer: one.buffer, from, to };
}

/** If only one of the two runs in a stream, `one` must be that one. */
function kindOf(names: Names, one: Touch, other: Touch): MeetingKind {
  if (one.where === 'host') return 'unordered-threads';
  if (other.where === 'stream') {
    if (one.stream !== other.stream) return 'unordered-streams';
    const byThreads = names.thread(one.op) !== names.thread(other.op) || names.areOfOneGraph(one.op, other.op);
    return byThreads ? 'unordered-threads' : 'unordered-streams';
  }
  if (!other.writes) return 'read-before-arrival';
  return one.writes ? 'destination-changed-in-flight' : 'source-changed-in-flight';
}

const isWithin = (path: OperationInfo['path'], outer: OperationInfo['path']): boolean =>
  outer.length < path.length && startsWith(path, outer);

class Names {
  readonly #program: Program;
  readonly #streams = new Map<number, number>();
  #alike: ReadonlyMap<string, readonly OperationInfo[]> | null = null;

  constructor(program: Program) {
    this.#program = program;
    for (const instruction of program.threads.flatMap((thread) => thread.instructions)) {
      if ('stream' in instruction && !this.#streams.has(instruction.op)) {
        this.#streams.set(instruction.op, instruction.stream);
      }
    }
  }

  thread(op: number): number {
    return this.#program.operations[op]?.thread ?? -1;
  }

  /**
   * Returns whether both operations are in one graph that is captured once. Its launches run one after another, and so
   * do its operations in one stream. They can only conflict if host threads launch the graph in no fixed order.
   */
  areOfOneGraph(a: number, b: number): boolean {
    const around = (op: number): OperationInfo[] => {
      const path = this.#program.operations[op]?.path ?? [];
      return this.#program.operations.filter((outer) => outer.op !== op && isWithin(path, outer.path));
    };
    const [ofA, ofB] = [around(a), around(b)];
    const capture = ofA.find(({ kind }) => kind === 'graphCapture');
    if (capture === undefined || !ofB.includes(capture)) return false;
    return !ofA.some(({ kind, path }) => kind === 'repeat' && isWithin(capture.path, path));
  }

  hazard(kind: MeetingKind, first: number, second: number, buffer: number, from?: number, to?: number): Hazard {
    const declared = this.#program.buffers[buffer];
    const [start, end] = [from ?? 0, to ?? declared?.bytes ?? 0];
    const names: HazardNames = {
      first: this.#nameOf(first),
      second: this.#nameOf(second),
      firstLabel: this.#quoted(first),
      secondLabel: this.#quoted(second),
      buffer: declared?.id ?? '',
      region: from === undefined ? null : describeRegion(start, end, declared?.bytes ?? 0),
      sameThread: this.thread(first) === this.thread(second),
      meetsItself: first === second,
    };
    return {
      kind,
      rule: hazardRules[kind],
      first: this.#operation(first),
      second: this.#operation(second),
      buffer: declared?.id ?? null,
      fromByte: start,
      toByte: end,
      ...hazardWords(kind, names),
      change: null,
      evidence: null,
    };
  }

  endlessWait(wait: EndlessWait): Hazard {
    const operation = this.#operation(wait.op);
    return {
      kind: 'endless-wait',
      rule: hazardRules['endless-wait'],
      first: operation,
      second: operation,
      buffer: null,
      fromByte: 0,
      toByte: 0,
      ...endlessWords(this.#program, wait),
      change: null,
      evidence: null,
    };
  }

  #operation(op: number): HazardOperation {
    const info = this.#program.operations[op];
    return {
      op,
      id: info?.id ?? '',
      path: fieldPath(info?.path ?? []),
      label: info?.label ?? `operation ${op}`,
      thread: this.#program.threads[info?.thread ?? 0]?.id ?? '',
      stream: this.#stream(op),
    };
  }

  #stream(op: number): string | null {
    const stream = this.#streams.get(op);
    return stream === undefined ? null : (this.#program.streams[stream]?.id ?? null);
  }

  #nameOf(op: number): string {
    const { stream } = this.#operation(op);
    return stream === null ? this.#quoted(op) : `${this.#quoted(op)} in stream "${stream}"`;
  }

  /** Returns the label, with the operation's kind or place if others have the same one. */
  #quoted(op: number): string {
    const { label } = this.#operation(op);
    this.#alike ??= groupBy(this.#program.operations, (one) => one.label);
    const alike = this.#alike.get(label) ?? [];
    const kind = this.#program.operations[op]?.kind;
    const ofKind = alike.filter((one) => one.kind === kind);
    if (alike.length > 1 && ofKind.length === 1) return `the ${kind} "${label}"`;
    const place = ofKind.findIndex((one) => one.op === op) + 1;
    return ofKind.length > 1 ? `"${label}" (${place} of ${ofKind.length})` : `"${label}"`;
  }
}
