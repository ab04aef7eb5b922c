/**
 * Which parameter of a profile a recorded row tells. A row tells one only where the simulation says that nothing else
 * is in it: a call that a full queue held, or a copy that shared the link, lasts as long as it does for other reasons.
 */
import type { Activity } from '../../analysis/iteration.ts';
import { append } from '../../groupBy.ts';
import type { Instruction, InstructionOf, Program } from '../../program/program.ts';
import { firstCalls } from '../../simulator/callHistory.ts';
import { isRagged } from '../../simulator/copyCost.ts';
import { hostRate } from '../../simulator/hostMemory.ts';
import { kernelCost } from '../../simulator/kernelCost.ts';
import { leastNs } from '../../simulator/leastTime.ts';
import { memcpyParameter } from '../../simulator/memcpyRate.ts';
import { planProgram } from '../../simulator/plan.ts';
import { preparationNs } from '../../simulator/preparation.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { type TimePoint, timeTable } from '../../simulator/table.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type Draft, valueAt } from '../paths.ts';
import type { PointKey } from '../plan.ts';
import type { RecordedRun } from './recordedRun.ts';
import { isHostRow, type RowPair } from './rowPairs.ts';

export interface Told {
  readonly path: string;
  readonly at?: { readonly key: PointKey; readonly value: number };
  /** What the nth recorded iteration says; undefined where it doesn't. */
  readonly read: (iteration: number) => number | undefined;
}

const durationOf = ({ startNs, endNs }: Activity): number => endNs - startNs;
/** Lanes hold whole nanoseconds. */
const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= 1 + 0.001 * other;
/** Times what the driver may stage ahead, that a copy is at the least which tells of staging by its way alone. */
const leastStaged = 2;
/** A byte-streaming kernel that lasts fewer of the latencies of its passes tells of those, and not of a rate. */
const leastLatencies = 10;
/** Times the size of L2, that a kernel works on which tells how fast memory is. */
const leastBeyond = 2;
/** The part of a graph's nodes that are of one kind, of which it tells. */
const nearlyAll = 0.8;
/** Memory that is touched in less tells more of the call than of the memory. */
const leastHostBytes = 65_536;

type TellingRun = Pick<RecordedRun, 'program' | 'filled' | 'iterations'>;

export class Tells {
  readonly #profile: DeviceProfile;
  readonly #instructions = new Map<number, Instruction[]>();
  readonly #program: Program;
  /** What a thread's first call takes longer. */
  readonly #firstNs: number;
  /** Rows of each launch of a graph, by its correlation. */
  readonly #launched = new Map<number, Activity[]>();
  /** The call that issued a row, and the row that a call issued, by correlation. */
  readonly #calls = new Map<number, RowPair>();
  readonly #works = new Map<number, RowPair>();
  readonly #deviceEnds: readonly number[];
  readonly #recordedEnds: readonly (readonly number[])[];
  /** Recorded rows that ran beside other work of the compute channel, whatever the simulation says. */
  readonly #shared: ReadonlySet<Activity>;

  constructor(
    { program, filled, iterations: { length: iterations } }: TellingRun,
    profile: DeviceProfile,
    pairs: readonly RowPair[],
  ) {
    this.#profile = profile;
    this.#program = program;
    const preparedNs = preparationNs(program, profile, filled);
    this.#firstNs = firstCalls(program, profile, preparedNs, leastNs(planProgram(program, profile))).ns;
    for (const { instructions } of program.threads) {
      for (const one of instructions) append(this.#instructions, one.op, one);
    }
    for (const pair of pairs) {
      const { simulated } = pair;
      if (simulated.correlation === 0) continue;
      const table = isHostRow(simulated) ? this.#calls : this.#works;
      if (!table.has(simulated.correlation)) table.set(simulated.correlation, pair);
    }
    const works = pairs.filter(({ simulated }) => !isHostRow(simulated));
    for (const { simulated } of works) append(this.#launched, simulated.correlation, simulated);
    this.#deviceEnds = works.map(({ simulated }) => simulated.endNs);
    this.#shared = new Set(
      Array.from({ length: iterations }, (_, index) =>
        sharing(works.flatMap(({ recorded }) => recorded[index] ?? [])),
      ).flat(),
    );
    this.#recordedEnds = Array.from({ length: iterations }, (_, index) =>
      works.flatMap(({ recorded }) => recorded[index]?.endNs ?? []),
    );
  }

  of(pair: RowPair): readonly Told[] {
    const recorded = pair.recorded.map((row) => (row !== undefined && this.#shared.has(row) ? undefined : row));
    return this.#of({ ...pair, recorded });
  }

  #of(pair: RowPair): readonly Told[] {
    const { simulated } = pair;
    // Threads that pack share the host's memory with what they put on the link.
    if (this.#instruction(simulated.op, 'multiCopy') !== undefined) return [];
    switch (simulated.kind) {
      case 'host-call':
        return this.#call(pair);
      case 'host-sync':
        return this.#synchronise(pair);
      case 'host-read':
      case 'host-write':
      case 'host-work':
        return this.#hostMemory(pair);
      case 'copy':
        return [...this.#copy(pair), ...this.#gaps(pair)];
      case 'kernel':
        return [...this.#kernel(pair), ...this.#gaps(pair)];
      case 'memset':
        return [...this.#point(pair, 'memset.device', simulated.bytes), ...this.#gaps(pair)];
      case 'host-function':
        return this.#gaps(pair);
      default:
        return [];
    }
  }

  // Calls

  #call(pair: RowPair): readonly Told[] {
    const { simulated } = pair;
    const { name, correlation, op } = simulated;
    const issues = name in streamCalls;
    if (issues && correlation === 0) return this.#value(pair, 'graph.captureNs');
    switch (name) {
      case 'cudaLaunchKernel':
        return [...this.#value(pair, 'calls.launchNs'), ...this.#value(pair, 'calls.coldLaunchNs')].slice(0, 1);
      case 'cudaMemcpyAsync':
      case 'cudaMemcpy':
        return this.#copyCall(pair);
      case 'cudaMemsetAsync':
        return this.#point(pair, 'memset.call', this.#works.get(correlation)?.simulated.bytes ?? 0);
      case 'cudaLaunchHostFunc':
        return this.#value(pair, 'hostFunction.callNs');
      case 'cudaEventRecord':
        return this.#value(pair, 'calls.eventRecordNs');
      case 'cudaStreamWaitEvent':
        return this.#value(pair, 'calls.eventWaitNs');
      case 'cudaStreamQuery':
      case 'cudaEventQuery':
        return this.#value(pair, 'calls.queryNs');
      case 'cudaEventElapsedTime':
        return this.#value(pair, 'calls.elapsedTimeNs');
      case 'cudaStreamBeginCapture':
        return this.#value(pair, 'graph.beginNs');
      case 'cudaStreamEndCapture':
      case 'cudaGraphInstantiate':
      case 'cudaGraphUpload':
        return this.#graphCall(pair, op);
      default:
        return this.#memoryCall(pair);
    }
  }

  #copyCall(pair: RowPair): readonly Told[] {
    const work = this.#works.get(pair.simulated.correlation);
    const path = work === undefined ? null : copyPath(work.simulated);
    if (work === undefined || path === null) return [];
    const told = this.#point(pair, `${path}.call`, work.simulated.bytes);
    if (path === 'copies.d2h.pageable') {
      const staged = this.#stagedOut(pair, work, path);
      return staged.length === 0 ? told : staged;
    }
    return told.length === 0 ? this.#stagedBehind(work, path) : told;
  }

  /**
   * One into pageable memory whose stream was idle begins when the driver has prepared it. How much longer than simulated
   * its call then took tells the cost, wherever its target lay.
   */
  #stagedOut({ simulated, recorded }: RowPair, work: RowPair, path: string): readonly Told[] {
    const { bytes } = work.simulated;
    const points = tableAt(this.#profile, `${path}.call`);
    const { launchToStartNs } = this.#profile.queue;
    const prepareNs = this.#number('staging.prepareOutNs');
    const more = this.#moreThan(work.simulated.startNs - simulated.startNs, launchToStartNs + prepareNs);
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
  #stagedBehind({ simulated, recorded }: RowPair, path: string): readonly Told[] {
    const { bytes, direction } = simulated;
    const points = tableAt(this.#profile, `${path}.call`);
    const { inlineBytes, chunkBytes, slots } = this.#profile.staging;
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

  #graphCall(pair: RowPair, op: number): readonly Told[] {
    const nodes = this.#nodes(this.#instruction(op, 'endCapture')?.graph ?? -1);
    const { name } = pair.simulated;
    if (nodes.length === 0) return [];
    if (name === 'cudaStreamEndCapture') return this.#point(pair, 'graph.end', nodes.length, 'nodes');
    const call = name === 'cudaGraphUpload' ? 'upload' : 'instantiate';
    return this.#mixedNodes(pair, `graph.${call}`, nodes);
  }

  /** Of a graph of both kinds of nodes the cost lies between both tables: it tells that of the kind that nearly all are. */
  #mixedNodes({ simulated, recorded }: RowPair, path: string, nodes: readonly Activity[]): readonly Told[] {
    const part = nodes.filter(({ kind }) => kind === 'copy').length / nodes.length;
    const kind = part > 0.5 ? 'copies' : 'kernels';
    const costOf = (one: string): number => timeTable(tableAt(this.#profile, `${path}.${one}`) ?? [])(nodes.length);
    const cost = part * costOf('copies') + (1 - part) * costOf('kernels');
    if (Math.max(part, 1 - part) < nearlyAll || !isNear(durationOf(simulated), cost)) return [];
    const by = costOf(kind) / cost;
    const read = (index: number): number | undefined => {
      const lasted = lengthOf(recorded[index], 0);
      return lasted === undefined ? undefined : lasted * by;
    };
    return [{ path: `${path}.${kind}`, at: { key: 'nodes', value: nodes.length }, read }];
  }

  /** What some launch of a graph ran. */
  #nodes(graph: number): readonly Activity[] {
    for (const [correlation, { simulated }] of this.#calls) {
      if (this.#instruction(simulated.op, 'launchGraph')?.graph === graph) return this.#launched.get(correlation) ?? [];
    }
    return [];
  }

  #memoryCall(pair: RowPair): readonly Told[] {
    const { name, op } = pair.simulated;
    const made = this.#instruction(op, 'allocate') ?? this.#instruction(op, 'free');
    const buffer = made?.buffer ?? this.#instruction(op, 'pin')?.dst;
    if (buffer === undefined) return [];
    const path = memoryCalls[name];
    if (path === undefined) return name.startsWith('cuda') ? [] : this.#value(pair, 'memory.cachedNs');
    if (path.endsWith('Ns')) return this.#value(pair, path);
    const bytes = this.#program.buffers[buffer]?.bytes ?? 0;
    const told = this.#point(pair, path, bytes);
    return told.length === 0 ? this.#behindWork(pair, path, bytes) : told;
  }

  /** A call that waits for the device, where that is still at work, and then works itself. */
  #behindWork({ simulated, recorded }: RowPair, path: string, bytes: number): readonly Told[] {
    const points = tableAt(this.#profile, path);
    const afterNs = simulated.endNs - lastUntil(this.#deviceEnds, simulated.endNs);
    if (points === null || !isNear(afterNs, timeTable(points)(bytes))) return [];
    const after = this.#afterWork(recorded);
    const read = (index: number): number | undefined => {
      const [behind, whole] = [after(index), lengthOf(recorded[index], 0)];
      return behind === undefined || whole === undefined ? undefined : Math.min(behind, whole);
    };
    return [{ path, at: { key: 'bytes', value: bytes }, read }];
  }

  /** How much longer the row lasts than the work on the device that it waited for. */
  #afterWork(recorded: RowPair['recorded']): Told['read'] {
    return (index) => {
      const own = recorded[index];
      return own === undefined ? undefined : own.endNs - lastUntil(this.#recordedEnds[index] ?? [], own.endNs);
    };
  }

  #synchronise(pair: RowPair): readonly Told[] {
    const { simulated, recorded } = pair;
    if (!simulated.name.startsWith('cuda')) return [];
    if (isNear(durationOf(simulated), this.#profile.calls.synchronizeNs)) {
      return this.#value(pair, 'calls.synchronizeNs');
    }
    const { wakeNs, copyWakeNs = wakeNs } = this.#profile.calls;
    const gapNs = simulated.endNs - lastUntil(this.#deviceEnds, simulated.endNs);
    const [isWake, isCopyWake] = [isNear(gapNs, wakeNs), isNear(gapNs, copyWakeNs)];
    if (!isWake && !isCopyWake) return [];
    // Where they are about as long there is no telling which it is.
    if (isWake && isCopyWake && copyWakeNs !== wakeNs) return [];
    return [{ path: isWake ? 'calls.wakeNs' : 'calls.copyWakeNs', read: this.#afterWork(recorded) }];
  }

  /** One thread that copies, writes or reads memory by itself. */
  #hostMemory({ simulated, recorded }: RowPair): readonly Told[] {
    const { bytes, kind, op } = simulated;
    const startNs = kind === 'copy' ? (this.#profile.host.memcpyNs ?? 0) : 0;
    const own = kind === 'host-read' ? 'read' : kind === 'host-write' ? 'write' : null;
    const instruction = own === null ? undefined : this.#instruction(op, own);
    const { name, bytesPerSecond } =
      instruction !== undefined
        ? hostRate(instruction, this.#program, this.#profile)
        : memcpyParameter(this.#profile, bytes);
    const predicted = startNs + (bytes / bytesPerSecond) * 1e9;
    if (bytes < leastHostBytes || !isNear(durationOf(simulated), predicted)) return [];
    return [{ path: `host.${name}`, read: (index) => rateOf(bytes, recorded[index], startNs) }];
  }

  // Work

  #copy(pair: RowPair): readonly Told[] {
    const { simulated } = pair;
    const { bytes, direction, engineKind } = simulated;
    if (direction === 'h2h') return this.#hostMemory(pair);
    const path = copyPath(simulated);
    // Between devices another link decides.
    if (path === null || (direction === 'd2d' && (engineKind === 'copy-engine' || isRagged(bytes)))) return [];
    const { queuedCopyNs } = this.#profile.queue;
    if (queuedCopyNs !== undefined && isNear(durationOf(simulated), queuedCopyNs)) {
      return this.#value(pair, 'queue.queuedCopyNs');
    }
    if (!path.endsWith('pageable')) return this.#point(pair, `${path}.device`, bytes);
    const isInline = direction === 'h2d' && bytes <= this.#profile.staging.inlineBytes;
    const own = this.#told(pair, `${path}.device`, bytes, 'bytes');
    return isInline ? [own, ...this.#point(pair, 'staging.inline', bytes)] : [own];
  }

  #kernel(pair: RowPair): readonly Told[] {
    const { simulated, recorded } = pair;
    const instruction = this.#instruction(simulated.op, 'kernel');
    if (instruction === undefined) return [];
    const { kernel, smShare } = instruction;
    const { startNs, kernelNodeNs } = { ...this.#profile.kernel, ...this.#profile.graph };
    const captured = this.#calls.get(simulated.correlation)?.simulated.name === 'cudaGraphLaunch';
    if (captured) return kernel.kind === 'spin' ? this.#kernelNode(pair, kernel.durationNs + kernelNodeNs) : [];
    const cost = kernelCost(kernel, smShare, this.#program, this.#profile);
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
    return this.#throughput(instruction, cost, longer);
  }

  #throughput(
    { kernel, smShare }: InstructionOf<'kernel'>,
    cost: ReturnType<typeof kernelCost>,
    longer: (index: number) => number | undefined,
  ): readonly Told[] {
    const { kernel: rates, device } = this.#profile;
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

  /** From one kernel's start to that of the next in the same graph. */
  #kernelNode({ simulated, recorded, before }: RowPair, predictedNs: number): readonly Told[] {
    if (before === null || before.simulated.correlation !== simulated.correlation) return [];
    if (!isNear(simulated.startNs - before.simulated.startNs, predictedNs)) return [];
    const spinNs = predictedNs - this.#profile.graph.kernelNodeNs;
    const read = (index: number): number | undefined => {
      const [own, last] = [recorded[index], before.recorded[index]];
      return own === undefined || last === undefined ? undefined : own.startNs - last.startNs - spinNs;
    };
    return [{ path: 'graph.kernelNodeNs', read }];
  }

  /** What lies between a row and what it followed: the call that issued it, or the work before it in its stream. */
  #gaps(pair: RowPair): readonly Told[] {
    const { simulated, before } = pair;
    const call = this.#calls.get(simulated.correlation);
    const told: Told[] = [];
    const isGraph = call?.simulated.name === 'cudaGraphLaunch';
    if (call !== undefined && !isGraph) told.push(...this.#gap(pair, call, this.#latency(pair)));
    if (before !== null) told.push(...this.#gap(pair, before, this.#between(before.simulated, simulated, isGraph)));
    return told;
  }

  #latency({ simulated }: RowPair): readonly string[] {
    return simulated.kind === 'host-function' ? [] : ['queue.launchToStartNs'];
  }

  #between(one: Activity, next: Activity, isGraph: boolean): readonly string[] {
    if (one.kind === 'host-function' && next.kind === 'host-function') return ['hostFunction.gapNs'];
    if (one.kind === 'host-function' || next.kind === 'host-function') return [];
    if (one.engine !== next.engine) return ['queue.acrossEnginesNs'];
    if (next.engineKind === 'compute') return isGraph ? [] : ['queue.sameEngineNs'];
    if (isGraph) return one.correlation === next.correlation ? ['graph.copyGapNs'] : [];
    return ['queue.copyGapNs'];
  }

  #gap({ simulated, recorded }: RowPair, before: RowPair, paths: readonly string[]): readonly Told[] {
    const predicted = simulated.startNs - before.simulated.endNs;
    return paths.flatMap((path) => {
      const known = this.#number(path);
      // A gap of nothing is one of many things that a row may follow.
      if (known <= 1 || !isNear(predicted, known)) return [];
      const read = (index: number): number | undefined => {
        const [own, last] = [recorded[index], before.recorded[index]];
        return own === undefined || last === undefined ? undefined : Math.max(0, own.startNs - last.endNs);
      };
      return [{ path, read }];
    });
  }

  // Parts

  #instruction<Code extends Instruction['code']>(op: number, code: Code): InstructionOf<Code> | undefined {
    return this.#instructions.get(op)?.find((one): one is InstructionOf<Code> => one.code === code);
  }

  #number(path: string): number {
    return Number(valueAt(this.#profile as unknown as Draft, path) ?? Number.NaN);
  }

  /** The row's length, where it is as long as this parameter. */
  #value(pair: RowPair, path: string): readonly Told[] {
    const more = this.#beyond(pair.simulated, this.#number(path));
    return more === null ? [] : [{ path, read: (index) => lengthOf(pair.recorded[index], more) }];
  }

  /** The row's length, where it is as long as this table has it. */
  #point(pair: RowPair, path: string, size: number, key: 'bytes' | 'nodes' = 'bytes'): readonly Told[] {
    const points = tableAt(this.#profile, path);
    const more = size <= 0 || points === null ? null : this.#beyond(pair.simulated, timeTable(points)(size));
    return more === null ? [] : [this.#told(pair, path, size, key, more)];
  }

  /**
   * What the row is longer than its cost: nothing, or what a first call costs more; null where it is something else. What is
   * left of a row that lasts more than twice its cost is noise, mostly.
   */
  #beyond(row: Activity, cost: number): number | null {
    const lasts = durationOf(row);
    if (isNear(lasts, cost)) return 0;
    const more = isHostRow(row) ? this.#moreThan(lasts, cost) : null;
    return more === null || more > cost ? null : more;
  }

  #moreThan(lasts: number, cost: number): number | null {
    return [0, this.#firstNs].find((more) => isNear(lasts, cost + more)) ?? null;
  }

  #told({ recorded }: RowPair, path: string, value: number, key: PointKey, without = 0): Told {
    return { path, at: { key, value }, read: (index) => lengthOf(recorded[index], without) };
  }
}

/** The rows of the compute channel that overlap another one there. */
function sharing(rows: readonly Activity[]): Activity[] {
  const found = new Set<Activity>();
  const sorted = rows.filter(({ channelType }) => channelType === 'compute').sort((a, b) => a.startNs - b.startNs);
  let last: Activity | undefined;
  for (const row of sorted) {
    if (last !== undefined && row.startNs < last.endNs) found.add(row).add(last);
    if (last === undefined || row.endNs > last.endNs) last = row;
  }
  return [...found];
}

const streamCalls: Readonly<Record<string, true>> = {
  ...{ cudaLaunchKernel: true, cudaMemcpyAsync: true, cudaMemsetAsync: true, cudaLaunchHostFunc: true },
};

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

/** Where a copy's times are; null for one between host buffers. */
function copyPath({ direction, src, dst }: Activity): string | null {
  if (direction === 'd2d') return 'copies.d2d';
  if (direction !== 'h2d' && direction !== 'd2h') return null;
  const hostMemory = direction === 'h2d' ? src : dst;
  return isHostMemory(hostMemory) ? `copies.${direction}.${hostMemory === 'pageable' ? 'pageable' : 'pinned'}` : null;
}

/** The table at a path, its sizes or numbers of nodes as bytes; null where there is none. */
export function tableAt(profile: DeviceProfile, path: string): readonly TimePoint[] | null {
  const place = valueAt(profile as unknown as Draft, path);
  if (!Array.isArray(place)) return null;
  return place.map((point: { bytes?: number; nodes?: number; ns: number }) => ({
    bytes: point.bytes ?? point.nodes ?? 0,
    ns: point.ns,
  }));
}

const lengthOf = (row: Activity | undefined, without: number): number | undefined =>
  row === undefined ? undefined : Math.max(0, durationOf(row) - without);

/** Of what takes `startNs` beyond its bytes. */
const rateOf = (bytes: number, row: Activity | undefined, startNs: number): number | undefined =>
  row === undefined || durationOf(row) <= startNs ? undefined : (bytes / (durationOf(row) - startNs)) * 1e9;

const quotient = (value: number, by: number | undefined): number | undefined =>
  by === undefined || by <= 0 ? undefined : value / by;

/** The latest of the ends that is no later than `until`. */
const lastUntil = (ends: readonly number[], until: number): number =>
  ends.reduce((last, end) => (end <= until && end > last ? end : last), Number.NEGATIVE_INFINITY);
