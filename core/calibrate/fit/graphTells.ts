/** What graphs tell: the calls that make them, and the kernels that they hold. */
import type { Activity } from '../../analysis/iteration.ts';
import { timeTable } from '../../simulator/table.ts';
import { tableAt } from '../paths.ts';
import type { RowPair } from './rowPairs.ts';
import { durationOf, isNear, lengthOf, type TellingRun, type Told } from './tellingRun.ts';

/** The part of a graph's nodes that are of one kind, of which it tells. */
const nearlyAll = 0.8;

export function graphCallTells(run: TellingRun, pair: RowPair, op: number): readonly Told[] {
  const nodes = run.nodesOf(run.instruction(op, 'endCapture')?.graph ?? -1);
  const { name } = pair.simulated;
  if (nodes.length === 0) return [];
  if (name === 'cudaStreamEndCapture') return run.point(pair, 'graph.end', nodes.length, 'nodes');
  const call = name === 'cudaGraphUpload' ? 'upload' : 'instantiate';
  return mixedNodes(run, pair, `graph.${call}`, nodes);
}

/** Of a graph of both kinds of nodes the cost lies between both tables: it tells that of the kind that nearly all are. */
function mixedNodes(
  run: TellingRun,
  { simulated, recorded }: RowPair,
  path: string,
  nodes: readonly Activity[],
): readonly Told[] {
  const part = nodes.filter(({ kind }) => kind === 'copy').length / nodes.length;
  const kind = part > 0.5 ? 'copies' : 'kernels';
  const costOf = (one: string): number => timeTable(tableAt(run.profile, `${path}.${one}`) ?? [])(nodes.length);
  const cost = part * costOf('copies') + (1 - part) * costOf('kernels');
  if (Math.max(part, 1 - part) < nearlyAll || !isNear(durationOf(simulated), cost)) return [];
  const by = costOf(kind) / cost;
  const read = (index: number): number | undefined => {
    const lasted = lengthOf(recorded[index], 0);
    return lasted === undefined ? undefined : lasted * by;
  };
  return [{ path: `${path}.${kind}`, at: { key: 'nodes', value: nodes.length }, read }];
}

/** From one kernel's start to that of the next in the same graph. */
export function kernelNodeTells(
  run: TellingRun,
  { simulated, recorded, before }: RowPair,
  predictedNs: number,
): readonly Told[] {
  if (before === null || before.simulated.correlation !== simulated.correlation) return [];
  if (!isNear(simulated.startNs - before.simulated.startNs, predictedNs)) return [];
  const spinNs = predictedNs - run.profile.graph.kernelNodeNs;
  const read = (index: number): number | undefined => {
    const [own, last] = [recorded[index], before.recorded[index]];
    return own === undefined || last === undefined ? undefined : own.startNs - last.startNs - spinNs;
  };
  return [{ path: 'graph.kernelNodeNs', read }];
}
