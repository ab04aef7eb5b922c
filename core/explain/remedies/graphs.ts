/** Changes to graphs. Rule (core/rules): graph-launches-in-turn. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { renameReferences } from '../../experiment/edit/declarations.ts';
import { type Experiment, eachOperation } from '../../experiment/experiment.ts';
import { freeName } from '../../experiment/freeName.ts';
import { newCopies, type Operation, type OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import type { OperationInfo } from '../../program/program.ts';
import { startsWith } from '../../shape/path.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { type Found, find, isPlace, namesOf, outermostLoop, places, type Situation, usersOf } from './situation.ts';
import { deviceOf, move } from './streams.ts';

/** Captures each graph once: before the loop around it, and without later captures of the same work. */
export function capturedOnce(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const again: string[] = [];
  const captures = places(experiment).filter(isPlace('graphCapture'));
  for (const [graph, own] of groupBy(captures, ({ operation }) => operation.graph)) {
    const [first, ...later] = own;
    const loop = first === undefined ? null : outermostLoop(experiment, first.path);
    const isSame = new Set(own.map((one) => `${one.path[1]} ${workOf(one.operation)}`)).size === 1;
    if (first === undefined || !isSame || (loop === null && later.length === 0)) continue;
    again.push(graph);
    if (loop !== null) edit.before(loop, first.operation).remove(first.path);
    for (const { path } of later) edit.remove(path);
  }
  return again.length === 0 ? null : edit.step(`Capture ${namesOf(again)} once, and launch it again and again.`).change;
}

/** Returns the work of a capture, without the names of its operations. */
const workOf = (capture: OperationOf<'graphCapture'>): string =>
  JSON.stringify(capture, (field, value) => (field === 'id' || field === 'label' ? undefined : value));

/**
 * Captures the graph a second time and uses that for launches in the waiting launch's stream. Buffers that only the
 * graph uses are duplicated, since both graphs would write them at once.
 */
export function ownGraph(situation: Situation): Change | null {
  const { experiment, program } = situation;
  const waiting = find(situation, situation.verdict.blockedBy, 'graphLaunch');
  if (waiting === null) return null;
  const { graph, stream } = waiting.operation;
  const launches = program.operations.flatMap(({ op }) => find(situation, op, 'graphLaunch') ?? []);
  const moved = launches.filter(({ operation }) => operation.graph === graph && operation.stream === stream);
  const captures = program.operations
    .flatMap(({ op }) => find(situation, op, 'graphCapture') ?? [])
    .filter(({ operation }) => operation.graph === graph);
  const [capture] = captures;
  if (capture === undefined || captures.length > 1) return null;
  const edit = new ChangeBuilder(experiment);
  const name = freeName(graph, new Set(program.graphs.map(({ id }) => id)));
  const own = ownBuffers(situation, capture, edit);
  const operations = newCopies(capture.operation.operations) as Operation[];
  eachOperation(operations, (operation) => {
    for (const [shared, second] of own) renameReferences(operation, 'buffers', shared, second);
  });
  const beside = own.size === 0 ? '' : `, with ${[...own.values()].map((id) => `"${id}"`).join(' and ')} of its own,`;
  edit.step(`Capture "${graph}" a second time as "${name}"${beside} and launch that in stream "${stream}".`);
  const { id: _, ...again } = capture.operation;
  edit.after(capture.info.path, { ...again, graph: name, operations });
  for (const { info } of moved) edit.replace([...info.path, 'graph'], name);
  return edit.change;
}

/**
 * Moves the copy to a stream of its own. In a graph that is a branch: one event forks it off where the capture begins,
 * and another joins it at the end. Returns null if the cause isn't in the same graph.
 */
export function ownBranch(situation: Situation): Change | null {
  const { experiment, program, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  const capture = copy === null ? null : captureAround(situation, copy.info);
  const other = program.operations[(verdict.cause === 'queued-behind' ? verdict.blockedBy : verdict.with) ?? -1];
  if (copy === null || capture === null || other === undefined || !isInside(other, capture.info)) return null;
  const { stream: origin, operations } = capture.operation;
  const edit = new ChangeBuilder(experiment);
  const branch = edit.declare('streams', 'copies', { flags: 'non-blocking', ...deviceOf(situation, copy) });
  const [fork, join] = [edit.declare('events', 'fork'), edit.declare('events', 'join')];
  edit.step(`Capture "${copy.info.label}" in a branch of its own, in stream "${branch}".`);
  move(edit, experiment, copy, branch);
  const place = (index: number) => [...capture.info.path, 'operations', index];
  edit.before(place(0), { op: 'recordEvent', event: fork, stream: origin });
  edit.before(place(0), { op: 'waitEvent', event: fork, stream: branch });
  // `after` inserts directly behind the operation, so the later call puts its operation first.
  edit.after(place(operations.length - 1), { op: 'waitEvent', event: join, stream: origin });
  return edit.after(place(operations.length - 1), { op: 'recordEvent', event: join, stream: branch }).change;
}

/** Launches the copy's graph in a new non-blocking stream, if the kernel isn't part of that graph. */
export function ownLaunches(situation: Situation): Change | null {
  const { experiment, program, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  const kernel = program.operations[verdict.with ?? -1];
  const capture = copy === null ? null : captureAround(situation, copy.info);
  if (copy === null || capture === null || kernel === undefined || isInside(kernel, capture.info)) return null;
  const { graph } = capture.operation;
  const edit = new ChangeBuilder(experiment);
  const stream = edit.declare('streams', 'graphs', { flags: 'non-blocking', ...deviceOf(situation, copy) });
  edit.step(`Launch "${graph}" in a non-blocking stream of its own, "${stream}".`);
  for (const { op } of program.operations) {
    const launch = find(situation, op, 'graphLaunch');
    if (launch?.operation.graph === graph) edit.replace([...launch.info.path, 'stream'], stream);
  }
  return edit.change;
}

const isInside = ({ path }: OperationInfo, group: OperationInfo): boolean => startsWith(path, group.path);

/** Returns the capture that contains the operation; null if it isn't captured. */
function captureAround(situation: Situation, info: OperationInfo): Found<'graphCapture'> | null {
  for (const outer of situation.program.operations) {
    const capture = outer !== info && isInside(info, outer) ? find(situation, outer.op, 'graphCapture') : null;
    if (capture !== null) return capture;
  }
  return null;
}

/** Duplicates each buffer that the graph writes and nothing else uses. Returns the new names by old name. */
function ownBuffers(
  situation: Situation,
  { info, operation }: Found<'graphCapture'>,
  edit: ChangeBuilder,
): ReadonlyMap<string, string> {
  const { buffers } = situation.experiment;
  const isOwn = (op: number): boolean => {
    const user = situation.program.operations[op];
    return user !== undefined && isInside(user, info);
  };
  const written = new Set<string>();
  eachOperation(operation.operations, (one) => {
    for (const id of touchedBuffers(one)?.writes ?? []) written.add(id);
  });
  const own = new Map<string, string>();
  for (const { id, ...fields } of buffers) {
    if (!written.has(id) || fields.allocated !== 'before-run' || !usersOf(situation, id).every(isOwn)) continue;
    own.set(id, edit.declare('buffers', id, fields));
  }
  return own;
}
