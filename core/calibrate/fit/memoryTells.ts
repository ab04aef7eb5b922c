/** What memory tells: the calls that allocate and free it, and a host thread that copies, writes or reads it. */

import type { Activity } from '../../analysis/iteration.ts';
import { hostRate } from '../../simulator/hostMemory.ts';
import { memcpyParameter } from '../../simulator/memcpyRate.ts';
import { timeTable } from '../../simulator/table.ts';
import { tableAt } from '../paths.ts';
import type { RowPair } from './rowPairs.ts';
import { durationOf, isNear, lengthOf, type TellingRun, type Told } from './tellingRun.ts';

/** Memory that is touched in less tells more of the call than of the memory. */
const leastHostBytes = 65_536;

const memoryCalls: Readonly<Record<string, string>> = {
  cudaMalloc: 'memory.malloc',
  cudaFree: 'memory.free',
  cudaMallocAsync: 'memory.poolAllocateNs',
  cudaFreeAsync: 'memory.poolFreeNs',
  cudaHostAlloc: 'memory.hostAlloc',
  cudaFreeHost: 'memory.hostFree',
  cudaHostRegister: 'memory.hostRegister',
  cudaHostUnregister: 'memory.hostUnregister',
};

export function memoryCallTells(run: TellingRun, pair: RowPair): readonly Told[] {
  const { name, op } = pair.simulated;
  const made = run.instruction(op, 'allocate') ?? run.instruction(op, 'free');
  const buffer = made?.buffer ?? run.instruction(op, 'pin')?.dst;
  if (buffer === undefined) return [];
  const path = memoryCalls[name];
  if (path === undefined) return name.startsWith('cuda') ? [] : run.value(pair, 'memory.cachedNs');
  if (path.endsWith('Ns')) return run.value(pair, path);
  const bytes = run.program.buffers[buffer]?.bytes ?? 0;
  const told = run.point(pair, path, bytes);
  return told.length === 0 ? behindWork(run, pair, path, bytes) : told;
}

/** A call that waits for the device, where that is still at work, and then works itself. */
function behindWork(run: TellingRun, { simulated, recorded }: RowPair, path: string, bytes: number): readonly Told[] {
  const points = tableAt(run.profile, path);
  const afterNs = run.afterWork(simulated);
  if (points === null || !isNear(afterNs, timeTable(points)(bytes))) return [];
  const after = run.recordedAfterWork(recorded);
  const read = (index: number): number | undefined => {
    const [behind, whole] = [after(index), lengthOf(recorded[index], 0)];
    return behind === undefined || whole === undefined ? undefined : Math.min(behind, whole);
  };
  return [{ path, at: { key: 'bytes', value: bytes }, read }];
}

/** One thread that copies, writes or reads memory by itself. */
export function hostMemoryTells(run: TellingRun, { simulated, recorded }: RowPair): readonly Told[] {
  const { bytes, kind, op } = simulated;
  const startNs = kind === 'copy' ? (run.profile.host.memcpyNs ?? 0) : 0;
  const own = kind === 'host-read' ? 'read' : kind === 'host-write' ? 'write' : null;
  const instruction = own === null ? undefined : run.instruction(op, own);
  const { name, bytesPerSecond } =
    instruction !== undefined ? hostRate(instruction, run.program, run.profile) : memcpyParameter(run.profile, bytes);
  const predicted = startNs + (bytes / bytesPerSecond) * 1e9;
  if (bytes < leastHostBytes || !isNear(durationOf(simulated), predicted)) return [];
  return [{ path: `host.${name}`, read: (index) => rateOf(bytes, recorded[index], startNs) }];
}

/** Of what takes `startNs` beyond its bytes. */
const rateOf = (bytes: number, row: Activity | undefined, startNs: number): number | undefined =>
  row === undefined || durationOf(row) <= startNs ? undefined : (bytes / (durationOf(row) - startNs)) * 1e9;
