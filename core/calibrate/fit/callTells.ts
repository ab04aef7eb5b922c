/** What calls tell, and waits for the device. */
import { timeTable } from '../../simulator/table.ts';
import { tableAt } from '../paths.ts';
import { graphCallTells } from './graphTells.ts';
import { memoryCallTells } from './memoryTells.ts';
import type { RowPair } from './rowPairs.ts';
import { copyPath, durationOf, isNear, lengthOf, type TellingRun, type Told } from './tellingRun.ts';

/** Times what the driver may stage ahead, that a copy is at the least which tells of staging by its way alone. */
const leastStaged = 2;

const streamCalls: ReadonlySet<string> = new Set([
  'cudaLaunchKernel',
  'cudaMemcpyAsync',
  'cudaMemsetAsync',
  'cudaLaunchHostFunc',
]);

export function callTells(run: TellingRun, pair: RowPair): readonly Told[] {
  const { simulated } = pair;
  const { name, correlation, op } = simulated;
  if (streamCalls.has(name) && correlation === 0) return run.value(pair, 'graph.captureNs');
  switch (name) {
    case 'cudaLaunchKernel':
      return [...run.value(pair, 'calls.launchNs'), ...run.value(pair, 'calls.coldLaunchNs')].slice(0, 1);
    case 'cudaMemcpyAsync':
    case 'cudaMemcpy':
      return copyCall(run, pair);
    case 'cudaMemsetAsync':
      return run.point(pair, 'memset.call', run.works.get(correlation)?.simulated.bytes ?? 0);
    case 'cudaLaunchHostFunc':
      return run.value(pair, 'hostFunction.callNs');
    case 'cudaEventRecord':
      return run.value(pair, 'calls.eventRecordNs');
    case 'cudaStreamWaitEvent':
      return run.value(pair, 'calls.eventWaitNs');
    case 'cudaStreamQuery':
    case 'cudaEventQuery':
      return run.value(pair, 'calls.queryNs');
    case 'cudaEventElapsedTime':
      return run.value(pair, 'calls.elapsedTimeNs');
    case 'cudaStreamBeginCapture':
      return run.value(pair, 'graph.beginNs');
    case 'cudaStreamEndCapture':
    case 'cudaGraphInstantiate':
    case 'cudaGraphUpload':
      return graphCallTells(run, pair, op);
    default:
      return memoryCallTells(run, pair);
  }
}

function copyCall(run: TellingRun, pair: RowPair): readonly Told[] {
  const work = run.works.get(pair.simulated.correlation);
  const path = work === undefined ? null : copyPath(work.simulated);
  if (work === undefined || path === null) return [];
  const told = run.point(pair, `${path}.call`, work.simulated.bytes);
  if (path === 'copies.d2h.pageable') {
    const staged = stagedOut(run, pair, work, path);
    return staged.length === 0 ? told : staged;
  }
  return told.length === 0 ? stagedBehind(run, work, path) : told;
}

/**
 * One into pageable memory whose stream was idle begins when the driver has prepared it. How much longer than simulated
 * its call then took tells the cost, wherever its target lay.
 */
function stagedOut(run: TellingRun, { simulated, recorded }: RowPair, work: RowPair, path: string): readonly Told[] {
  const { bytes } = work.simulated;
  const points = tableAt(run.profile, `${path}.call`);
  const { launchToStartNs } = run.profile.queue;
  const prepareNs = run.number('staging.prepareOutNs');
  const more = run.moreThan(work.simulated.startNs - simulated.startNs, launchToStartNs + prepareNs);
  if (points === null || bytes <= 0 || more === null) return [];
  const callNs = timeTable(points)(bytes);
  const length = (index: number): number | undefined => {
    const lasted = lengthOf(recorded[index], more);
    return lasted === undefined ? undefined : (callNs * lasted) / (durationOf(simulated) - more);
  };
  const prepared = (index: number): number | undefined => {
    const [call, copy] = [recorded[index], work.recorded[index]];
    return call === undefined || copy === undefined ? undefined : copy.startNs - call.startNs - launchToStartNs;
  };
  const told: Told = { path: `${path}.call`, at: { key: 'bytes', value: bytes }, read: length };
  return more === 0 ? [told, { path: 'staging.prepareOutNs', read: prepared }] : [told];
}

/**
 * A staged copy that waited for its engine holds the host for longer than staging takes. How much longer than
 * simulated it then was on its way tells how much slower it was staged.
 */
function stagedBehind(run: TellingRun, { simulated, recorded }: RowPair, path: string): readonly Told[] {
  const { bytes, direction } = simulated;
  const points = tableAt(run.profile, `${path}.call`);
  const { inlineBytes, chunkBytes, slots } = run.profile.staging;
  const isStaged = path === 'copies.h2d.pageable' && direction === 'h2d' && bytes > inlineBytes;
  // What was staged ahead while it waited tells nothing.
  if (points === null || !isStaged || bytes < leastStaged * slots * chunkBytes) return [];
  const callNs = timeTable(points)(bytes);
  const read = (index: number): number | undefined => {
    const lasted = lengthOf(recorded[index], 0);
    return lasted === undefined ? undefined : (callNs * lasted) / durationOf(simulated);
  };
  return [{ path: `${path}.call`, at: { key: 'bytes', value: bytes }, read }];
}

export function synchroniseTells(run: TellingRun, pair: RowPair): readonly Told[] {
  const { simulated, recorded } = pair;
  if (!simulated.name.startsWith('cuda')) return [];
  if (isNear(durationOf(simulated), run.profile.calls.synchronizeNs)) {
    return run.value(pair, 'calls.synchronizeNs');
  }
  const { wakeNs, copyWakeNs = wakeNs } = run.profile.calls;
  const gapNs = run.afterWork(simulated);
  const [isWake, isCopyWake] = [isNear(gapNs, wakeNs), isNear(gapNs, copyWakeNs)];
  if (!isWake && !isCopyWake) return [];
  // Where they are about as long there is no telling which it is.
  if (isWake && isCopyWake && copyWakeNs !== wakeNs) return [];
  return [{ path: isWake ? 'calls.wakeNs' : 'calls.copyWakeNs', read: run.recordedAfterWork(recorded) }];
}
