/** What the time between two rows tells. */
import type { Activity } from '../../analysis/iteration.ts';
import type { RowPair } from './rowPairs.ts';
import { isNear, type TellingRun, type Told } from './tellingRun.ts';

/** What lies between a row and what it followed: the call that issued it, or the work before it in its stream. */
export function gapTells(run: TellingRun, pair: RowPair): readonly Told[] {
  const { simulated, before } = pair;
  const call = run.calls.get(simulated.correlation);
  const told: Told[] = [];
  const isGraph = call?.simulated.name === 'cudaGraphLaunch';
  if (call !== undefined && !isGraph) told.push(...gap(run, pair, call, latency(pair)));
  if (before !== null) told.push(...gap(run, pair, before, between(before.simulated, simulated, isGraph)));
  return told;
}

function latency({ simulated }: RowPair): readonly string[] {
  return simulated.kind === 'host-function' ? [] : ['queue.launchToStartNs'];
}

function between(one: Activity, next: Activity, isGraph: boolean): readonly string[] {
  if (one.kind === 'host-function' && next.kind === 'host-function') return ['hostFunction.gapNs'];
  if (one.kind === 'host-function') return [];
  if (next.kind === 'host-function') return ['hostFunction.behindWorkNs'];
  if (one.engine !== next.engine) return ['queue.acrossEnginesNs'];
  if (next.engineKind === 'compute') return isGraph ? [] : ['queue.sameEngineNs'];
  if (isGraph) return one.correlation === next.correlation ? ['graph.copyGapNs'] : [];
  return ['queue.copyGapNs'];
}

function gap(
  run: TellingRun,
  { simulated, recorded }: RowPair,
  before: RowPair,
  paths: readonly string[],
): readonly Told[] {
  const predicted = simulated.startNs - before.simulated.endNs;
  return paths.flatMap((path) => {
    const known = run.number(path);
    // A gap of nothing is one of many things that a row may follow.
    if (known <= 1 || !isNear(predicted, known)) return [];
    const read = (index: number): number | undefined => {
      const [own, last] = [recorded[index], before.recorded[index]];
      return own === undefined || last === undefined ? undefined : Math.max(0, own.startNs - last.endNs);
    };
    return [{ path, read }];
  });
}
