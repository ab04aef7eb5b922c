/** What copies and kernels tell by how long the device took for them. */
import type { InstructionOf } from '../../program/program.ts';
import { isRagged } from '../../simulator/copyCost.ts';
import { kernelCost } from '../../simulator/kernelCost.ts';
import { kernelNodeTells } from './graphTells.ts';
import { hostMemoryTells } from './memoryTells.ts';
import type { RowPair } from './rowPairs.ts';
import { copyPath, durationOf, isNear, lengthOf, type TellingRun, type Told } from './tellingRun.ts';

/** A byte-streaming kernel that lasts fewer of the latencies of its passes tells of those, and not of a rate. */
const leastLatencies = 10;
/** Times the size of L2, that a kernel works on which tells how fast memory is. */
const leastBeyond = 2;

export function copyTells(run: TellingRun, pair: RowPair): readonly Told[] {
  const { simulated } = pair;
  const { bytes, direction, engineKind } = simulated;
  if (direction === 'h2h') return hostMemoryTells(run, pair);
  const path = copyPath(simulated);
  // Between devices another link decides.
  if (path === null || (direction === 'd2d' && (engineKind === 'copy-engine' || isRagged(bytes)))) return [];
  const { queuedCopyNs } = run.profile.queue;
  if (queuedCopyNs !== undefined && isNear(durationOf(simulated), queuedCopyNs)) {
    return run.value(pair, 'queue.queuedCopyNs');
  }
  if (!path.endsWith('pageable')) return run.point(pair, `${path}.device`, bytes);
  const isInline = direction === 'h2d' && bytes <= run.profile.staging.inlineBytes;
  const own = run.told(pair, `${path}.device`, bytes, 'bytes');
  return isInline ? [own, ...run.point(pair, 'staging.inline', bytes)] : [own];
}

export function kernelTells(run: TellingRun, pair: RowPair): readonly Told[] {
  const { simulated, recorded } = pair;
  const instruction = run.instruction(simulated.op, 'kernel');
  if (instruction === undefined) return [];
  const { kernel, smShare } = instruction;
  const { startNs, kernelNodeNs } = { ...run.profile.kernel, ...run.profile.graph };
  const captured = run.calls.get(simulated.correlation)?.simulated.name === 'cudaGraphLaunch';
  if (captured) return kernel.kind === 'spin' ? kernelNodeTells(run, pair, kernel.durationNs + kernelNodeNs) : [];
  const cost = kernelCost(kernel, smShare, run.program, run.profile);
  if (!isNear(durationOf(simulated), cost.deviceNs)) return [];
  if (kernel.kind === 'spin') {
    const read = (index: number): number | undefined => lengthOf(recorded[index], kernel.durationNs);
    return [{ path: 'kernel.startNs', read }];
  }
  /** How much longer its own work took than the profile has it. */
  const longer = (index: number): number | undefined => {
    const own = lengthOf(recorded[index], startNs);
    return own === undefined || own <= 0 ? undefined : own / (cost.deviceNs - startNs);
  };
  return throughput(run, instruction, cost, longer);
}

function throughput(
  run: TellingRun,
  { kernel, smShare }: InstructionOf<'kernel'>,
  cost: ReturnType<typeof kernelCost>,
  longer: (index: number) => number | undefined,
): readonly Told[] {
  const { kernel: rates, device } = run.profile;
  const over = (path: string, value: number): Told => ({ path, read: (index) => quotient(value, longer(index)) });
  if (cost.linkIn > 0 && cost.linkOut > 0) return [];
  if (cost.linkIn > 0) return [over('kernel.mappedReadBytesPerSecond', rates.mappedReadBytesPerSecond)];
  if (cost.linkOut > 0) return [over('kernel.mappedWriteBytesPerSecond', rates.mappedWriteBytesPerSecond)];
  if (kernel.kind === 'stream') {
    const latencyNs = kernel.passes * (rates.memoryLatencyNs ?? 0);
    if (cost.deviceNs < leastLatencies * latencyNs) return [];
  }
  if (smShare < 1) {
    const path = kernel.kind === 'stream' ? 'kernel.streamShares' : 'kernel.arithmeticShares';
    const part = kernel.kind === 'stream' ? cost.memoryPart : cost.arithmeticPart;
    return [{ ...over(path, part), at: { key: 'share', value: smShare } }];
  }
  if (kernel.kind === 'arithmetic') return [over('kernel.flopsPerSecond', rates.flopsPerSecond)];
  const touched = kernel.kind === 'stream' ? 2 * kernel.bytes : 0;
  if (touched <= device.l2Bytes) return [over('kernel.l2BytesPerSecond', rates.l2BytesPerSecond)];
  // Of what is a little larger, L2 still holds a part.
  return touched < leastBeyond * device.l2Bytes
    ? []
    : [over('kernel.deviceBytesPerSecond', rates.deviceBytesPerSecond)];
}

const quotient = (value: number, by: number | undefined): number | undefined =>
  by === undefined || by <= 0 ? undefined : value / by;
