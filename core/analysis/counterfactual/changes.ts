/**
 * What takes a verdict's cause away, as a change to the experiment. Null where no simple change does: a copy that is
 * too small, memory that only the engine knows.
 */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import type { OperationInfo, Program } from '../../program/program.ts';
import type { Verdict } from '../verdicts/verdict.ts';

export interface Situation {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly verdict: Verdict;
}

/** In order of preference; empty where there is none. */
export function changesFor(situation: Situation): Change[] {
  const { verdict } = situation;
  switch (verdict.cause) {
    case 'pageable-source':
    case 'pageable-destination':
      return present(pin(situation));
    case 'same-stream':
      return present(ownStream(situation));
    case 'legacy-default-stream':
      return present(nonBlocking(situation), ownStream(situation));
    case 'event-dependency':
      return verdict.needsData === true ? [] : present(dropWait(situation));
    case 'engine-busy':
      return present(moveBefore(situation, verdict.op, verdict.blockedBy));
    case 'queued-behind':
      return present(ownStream(situation), moveBefore(situation, second(situation), verdict.blockedBy));
    case 'issued-too-late':
      return present(asynchronous(situation), moveBefore(situation, second(situation), verdict.blockedBy));
    default:
      return [];
  }
}

const present = (...changes: readonly (Change | null)[]): Change[] => changes.filter((change) => change !== null);

interface Found<Name extends Operation['op']> {
  readonly info: OperationInfo;
  readonly operation: Extract<Operation, { op: Name }>;
}

function find<Name extends Operation['op']>(
  { experiment, program }: Situation,
  op: number | null,
  ...names: readonly Name[]
): Found<Name> | null {
  const info = op === null ? undefined : program.operations[op];
  if (info === undefined) return null;
  const operation = at(experiment, info.path) as Operation;
  return (names as readonly string[]).includes(operation.op)
    ? { info, operation: operation as Extract<Operation, { op: Name }> }
    : null;
}

/** Paths come from lowering this very document. */
function at(experiment: Experiment, path: DocumentPath): unknown {
  let value: unknown = experiment;
  for (const step of path) value = (value as Record<string | number, unknown>)[step];
  return value;
}

function pin(situation: Situation): Change | null {
  const copy = find(situation, situation.verdict.op, 'copy');
  if (copy === null) return null;
  const { buffers } = situation.experiment;
  const edit = new ChangeBuilder(situation.experiment);
  for (const [index, buffer] of buffers.entries()) {
    const isSide = buffer.id === copy.operation.src || buffer.id === copy.operation.dst;
    if (!isSide || buffer.memory !== 'pageable') continue;
    edit.step(`Pin "${buffer.id}".`).replace(['buffers', index, 'memory'], 'pinned');
  }
  return nonEmpty(edit);
}

/** The copy, and the events recorded right behind it, go to a new non-blocking stream. */
function ownStream(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  if (copy === null || copy.operation.mode === 'blocking-memcpy') return null;
  const edit = new ChangeBuilder(experiment);
  const stream = edit.declare('streams', 'copies', { flags: 'non-blocking', ...deviceOf(situation, copy) });
  edit.step(`Move "${copy.info.label}" to a non-blocking stream of its own, "${stream}".`);
  edit.replace([...copy.info.path, 'stream'], stream);
  for (const path of recordsBehind(experiment, copy)) edit.replace([...path, 'stream'], stream);
  return edit.change;
}

function deviceOf({ experiment }: Situation, { info, operation }: Found<'copy'>): { device?: string } {
  const declared = experiment.streams.find(({ id }) => id === operation.stream);
  const device = declared === undefined ? experiment.threads[info.thread]?.device : declared.device;
  return device === undefined ? {} : { device };
}

/** Events recorded in the copy's stream before anything else happens there: they stand for the copy. */
function recordsBehind(experiment: Experiment, { info, operation }: Found<'copy'>): DocumentPath[] {
  const list = at(experiment, info.path.slice(0, -1)) as readonly Operation[];
  const paths: DocumentPath[] = [];
  for (let index = Number(info.path.at(-1)) + 1; index < list.length; index += 1) {
    const next = list[index];
    if (next === undefined || !('stream' in next) || next.stream !== operation.stream) continue;
    if (next.op !== 'recordEvent') break;
    paths.push(info.path.with(-1, index));
  }
  return paths;
}

/** The declared blocking streams of copy and kernel become non-blocking. */
function nonBlocking(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const used = [find(situation, verdict.op, 'copy'), find(situation, verdict.with, 'kernel', 'memset')];
  const streams = new Set(used.map((one) => one?.operation.stream));
  const edit = new ChangeBuilder(experiment);
  for (const [index, { id, flags }] of experiment.streams.entries()) {
    if (!streams.has(id) || flags !== 'blocking') continue;
    edit.step(`Make stream "${id}" non-blocking.`).replace(['streams', index, 'flags'], 'non-blocking');
  }
  return nonEmpty(edit);
}

function dropWait(situation: Situation): Change | null {
  const wait = find(situation, situation.verdict.blockedBy, 'waitEvent');
  if (wait === null) return null;
  const edit = new ChangeBuilder(situation.experiment).step(
    `Remove "${wait.info.label}": neither side needs the other's data.`,
  );
  return edit.remove(wait.info.path).change;
}

/** Of copy and kernel the one that ran second, by their place in the evidence. */
function second({ verdict }: Situation): number {
  const startOf = (role: 'copy' | 'kernel'): number =>
    verdict.evidence.find((row) => row.role === role)?.startNs ?? Number.NEGATIVE_INFINITY;
  return verdict.with !== null && startOf('kernel') > startOf('copy') ? verdict.with : verdict.op;
}

/** A blocking copy that holds the host becomes an asynchronous one. */
function asynchronous(situation: Situation): Change | null {
  const { verdict, experiment } = situation;
  const holder = find(situation, verdict.blockedBy ?? verdict.op, 'copy');
  if (holder === null || holder.operation.mode === 'async') return null;
  const edit = new ChangeBuilder(experiment).step(`Make "${holder.info.label}" asynchronous.`);
  return edit.replace([...holder.info.path, 'mode'], 'async').change;
}

/** Within one list of one host thread, so that it runs as often as before. */
function moveBefore({ experiment, program }: Situation, op: number, before: number | null): Change | null {
  const [moved, place] = [program.operations[op], before === null ? undefined : program.operations[before]];
  if (moved === undefined || place === undefined) return null;
  const [from, to] = [Number(moved.path.at(-1)), Number(place.path.at(-1))];
  const isOneList = moved.path.slice(0, -1).join() === place.path.slice(0, -1).join();
  if (!isOneList || from <= to) return null;
  const operation = at(experiment, moved.path) as Operation;
  return new ChangeBuilder(experiment)
    .step(`Issue "${moved.label}" before "${place.label}".`)
    .before(place.path, operation)
    .remove(moved.path).change;
}

const nonEmpty = (edit: ChangeBuilder): Change | null => (edit.change.patches.length === 0 ? null : edit.change);
