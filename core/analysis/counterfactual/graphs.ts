/** Changes of what is launched as one graph. Rule (core/rules): graph-launches-in-turn. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { renameReferences } from '../../experiment/edit/declarations.ts';
import { eachOperation } from '../../experiment/experiment.ts';
import { freeName } from '../../experiment/freeName.ts';
import { clonedOperation } from '../../experiment/operations.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { type Found, find, type Situation } from './situation.ts';
import { usersOf } from './users.ts';

/**
 * What the graph holds is captured a second time, and the launches in the stream of the one that waited are of that: with
 * buffers of its own for what the graph alone writes and reads, since both would write them at once.
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
  const operations = capture.operation.operations.map(clonedOperation);
  eachOperation(operations, (operation) => {
    for (const [shared, second] of own) renameReferences(operation, 'buffers', shared, second);
  });
  const beside = own.size === 0 ? '' : `, with ${[...own.values()].map((id) => `"${id}"`).join(' and ')} of its own,`;
  edit.step(`Capture "${graph}" a second time as "${name}"${beside} and launch that in stream "${stream}".`);
  edit.after(capture.info.path, { ...capture.operation, graph: name, operations });
  for (const { info } of moved) edit.replace([...info.path, 'graph'], name);
  return edit.change;
}

/** By name, the second of each buffer that the graph writes and nothing else uses. */
function ownBuffers(
  situation: Situation,
  { info, operation }: Found<'graphCapture'>,
  edit: ChangeBuilder,
): ReadonlyMap<string, string> {
  const { buffers } = situation.experiment;
  const isInside = (op: number): boolean =>
    info.path.every((step, index) => situation.program.operations[op]?.path[index] === step);
  const written = new Set<string>();
  eachOperation(operation.operations, (one) => {
    for (const id of touchedBuffers(one)?.writes ?? []) written.add(id);
  });
  const own = new Map<string, string>();
  for (const { id, ...fields } of buffers) {
    if (!written.has(id) || fields.allocated !== 'before-run' || !usersOf(situation, id).every(isInside)) continue;
    own.set(id, edit.declare('buffers', id, fields));
  }
  return own;
}
