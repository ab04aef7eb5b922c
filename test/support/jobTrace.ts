/** Draws the traces of a job's ranks: steps with compute, a copy and an all-reduce for which ranks wait. */
import { complete } from './drawnTraces.ts';

export interface DrawnJob {
  /** Nanoseconds by which each rank's clock is ahead. */
  readonly clocksNs: readonly number[];
  /** Returns nanoseconds of compute of a rank in a step. */
  readonly computeNs: (rank: number, step: number) => number;
  /** Returns the ranks of a rank's communicator; all ranks by default. */
  readonly groupOf?: (rank: number) => readonly number[];
  /** True if kernels name their process group, as in newer versions of PyTorch. */
  readonly namesGroups?: boolean;
  readonly steps?: number;
  /** Returns the number of collectives missing in the recording of a rank's first step. */
  readonly missed?: (rank: number) => number;
}

export const copyNs = 400_000;
export const reduceNs = 1_500_000;
const launchNs = 20_000;
const perStep = 3;

/** Expected times of a rank in each step, computed from the drawing alone. */
export interface Drawn {
  readonly text: string;
  readonly waitNs: number[];
  /** Time of collectives with no kernel alongside, by step: wait and transfer. */
  readonly exposedNs: number[];
}

export function drawJob({ clocksNs, computeNs, groupOf, namesGroups, steps = 5, missed = () => 0 }: DrawnJob): Drawn[] {
  const ranks = clocksNs.map((_, rank) => rank);
  const events: object[][] = ranks.map(() => []);
  const [waits, exposed] = [ranks.map((): number[] => []), ranks.map((): number[] => [])];
  const free = ranks.map(() => 0);
  const stepStart = ranks.map(() => 0);
  let correlation = 0;
  for (let step = 0; step < steps; step += 1) {
    for (const rank of ranks) {
      stepStart[rank] = free[rank] ?? 0;
      waits[rank]?.push(0);
      exposed[rank]?.push(0);
    }
    for (let part = 0; part < perStep; part += 1) {
      const starts = ranks.map((rank) => {
        const issued = free[rank] ?? 0;
        const copied = part === 0 ? issued + launchNs + copyNs : issued;
        const computed = copied + launchNs + computeNs(rank, step) / perStep;
        const push = (
          call: string,
          at: number,
          cat: string,
          name: string,
          from: number,
          ns: number,
          stream: number,
        ) => {
          correlation += 1;
          if (cat === 'kernel' && stream === 20 && step === 0 && part < missed(rank)) return;
          const group = groupOf?.(rank) ?? ranks;
          const named = {
            'Process Group Name': String(group[0]),
            'Process Group Ranks': `[${group.join(', ')}]`,
          };
          const args = { device: 0, stream, correlation, ...(namesGroups && stream === 20 ? named : {}) };
          const us = (time: number): number => (time + (clocksNs[rank] ?? 0)) / 1000 + 1e9;
          events[rank]?.push(
            complete('cuda_runtime', call, us(at), 5, { correlation }, 100),
            complete(
              cat,
              name,
              us(from),
              ns / 1000,
              { ...args, bytes: cat === 'kernel' ? undefined : 2 ** 24 },
              stream,
            ),
          );
        };
        if (part === 0)
          push('cudaMemcpyAsync', issued, 'gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', issued + launchNs, copyNs, 7);
        push('cudaLaunchKernel', copied, 'kernel', 'gemm', copied + launchNs, computed - copied - launchNs, 7);
        return { computed, push };
      });
      for (const rank of ranks) {
        const group = groupOf?.(rank) ?? ranks;
        const start = starts[rank]?.computed ?? 0;
        const latest = Math.max(...group.map((one) => starts[one]?.computed ?? 0));
        // Ranks leave a collective within some microseconds.
        const end = latest + reduceNs + ((rank * 7 + step * 3 + part) % 5) * 1000;
        const name = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)';
        starts[rank]?.push('cudaLaunchKernel', start - 10_000, 'kernel', name, start, end - start, 20);
        (waits[rank] as number[])[step] = (waits[rank]?.[step] ?? 0) + latest - start;
        (exposed[rank] as number[])[step] = (exposed[rank]?.[step] ?? 0) + end - start;
        free[rank] = end;
      }
    }
    for (const rank of ranks) {
      const from = ((stepStart[rank] ?? 0) + (clocksNs[rank] ?? 0)) / 1000 + 1e9;
      const ns = (free[rank] ?? 0) - (stepStart[rank] ?? 0);
      events[rank]?.push(complete('user_annotation', `ProfilerStep#${step}`, from, ns / 1000, {}, 100));
    }
  }
  return ranks.map((rank) => ({
    text: JSON.stringify({
      distributedInfo: { backend: 'nccl', rank, world_size: ranks.length },
      traceEvents: events[rank],
    }),
    waitNs: waits[rank] ?? [],
    exposedNs: exposed[rank] ?? [],
  }));
}
