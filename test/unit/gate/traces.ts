/** Random traces in the format of PyTorch's profiler with known answers, added up while the trace is written. */
import { complete, traceOf } from '../import/support.ts';
import type { Random } from '../support/random.ts';

/** Known figures of one step. */
export interface KnownStep {
  readonly pageableCopies: number;
  readonly pageableBytes: number;
  readonly waitingCalls: number;
  readonly exposedCopyNs: number;
  readonly hostHeldNs: number;
  readonly idleNs: number;
  readonly stepNs: number;
}

export interface GeneratedTrace {
  readonly text: string;
  readonly steps: readonly KnownStep[];
  /** Source lines that copy pageable memory, and lines that wait, in any step. */
  readonly pageableLines: ReadonlySet<number>;
  readonly waitingLines: ReadonlySet<number>;
}

/** A piece of a step, in microseconds: one call of the main thread and its work. */
type Piece =
  | { readonly kind: 'kernel'; readonly us: number }
  | { readonly kind: 'copy'; readonly us: number; readonly bytes: number; readonly host: 'Pageable' | 'Pinned' }
  | { readonly kind: 'wait'; readonly us: number }
  | { readonly kind: 'pause'; readonly us: number };

const callUs = 10;
const file = 'train.py';

/** Returns a trace in which pieces follow one another; only a pinned copy may overlap the kernel after it. */
export function randomTrace(random: Random): GeneratedTrace {
  const events: object[] = [];
  const steps: KnownStep[] = [];
  const lines = { pageable: new Set<number>(), waiting: new Set<number>() };
  let correlation = 1;
  let at = 1000;
  const count = 1 + random.below(5);
  // A single step doesn't repeat, and so isn't found.
  for (let step = 0; step < Math.max(2, count); step += 1) {
    const begin = at;
    const known = { pageableCopies: 0, pageableBytes: 0, waitingCalls: 0, exposedUs: 0, heldUs: 0, busyUs: 0 };
    const pieces = [...randomPieces(random), { kind: 'kernel', us: 20 + random.below(80) } as const];
    pieces.forEach((piece, index) => {
      const line = 10 + index;
      const frame = (us: number): void => {
        events.push(complete('python_function', `${file}(${line}): step`, at, us));
      };
      correlation += 1;
      const joined = { correlation };
      if (piece.kind === 'pause') {
        at += piece.us;
      } else if (piece.kind === 'wait') {
        frame(piece.us);
        events.push(complete('cuda_runtime', 'cudaStreamSynchronize', at, piece.us, joined));
        known.waitingCalls += 1;
        known.heldUs += piece.us;
        lines.waiting.add(line);
        at += piece.us;
      } else if (piece.kind === 'kernel') {
        frame(callUs);
        events.push(complete('cuda_runtime', 'cudaLaunchKernel', at, callUs, joined));
        events.push(complete('kernel', 'work', at + callUs, piece.us, { ...joined, device: 0, stream: 7 }));
        known.busyUs += piece.us;
        at += callUs + piece.us;
      } else {
        const isPageable = piece.host === 'Pageable';
        // The call of a pageable copy lasts until its end, and its staging counts as copying.
        const heldUs = isPageable ? callUs + piece.us : callUs;
        frame(heldUs);
        events.push(complete('cuda_runtime', 'cudaMemcpyAsync', at, heldUs, joined));
        const to = { ...joined, device: 0, stream: 7, bytes: piece.bytes };
        events.push(complete('gpu_memcpy', `Memcpy HtoD (${piece.host} -> Device)`, at + callUs, piece.us, to));
        known.busyUs += piece.us;
        known.exposedUs += isPageable ? heldUs : piece.us;
        if (isPageable) {
          known.pageableCopies += 1;
          known.pageableBytes += piece.bytes;
          // Small copies go into the command buffer: their call isn't blocked.
          if (piece.bytes > 65_536) known.heldUs += heldUs;
          lines.pageable.add(line);
        }
        at += callUs + piece.us;
      }
    });
    events.push(complete('user_annotation', `ProfilerStep#${step}`, begin, at - begin));
    const stepNs = (at - begin) * 1000;
    steps.push({
      pageableCopies: known.pageableCopies,
      pageableBytes: known.pageableBytes,
      waitingCalls: known.waitingCalls,
      exposedCopyNs: known.exposedUs * 1000,
      hostHeldNs: known.heldUs * 1000,
      idleNs: stepNs - known.busyUs * 1000,
      stepNs,
    });
  }
  // Calls after the last step belong to none: the profiler itself waits there.
  events.push(complete('cuda_runtime', 'cudaDeviceSynchronize', at + 50, 500, { correlation: correlation + 1 }));
  return { text: traceOf(events), steps, pageableLines: lines.pageable, waitingLines: lines.waiting };
}

function randomPieces(random: Random): Piece[] {
  return Array.from({ length: 1 + random.below(6) }, (): Piece => {
    switch (random.below(5)) {
      case 0:
        return { kind: 'wait', us: 5 + random.below(200) };
      case 1:
        return { kind: 'pause', us: 5 + random.below(200) };
      case 2:
        return { kind: 'kernel', us: 20 + random.below(200) };
      default:
        return {
          kind: 'copy',
          us: 5 + random.below(100),
          bytes: random.pick([4, 4096, 65_536, 65_537, 1 << 20, 3_000_001]),
          host: random.pick(['Pageable', 'Pinned']),
        };
    }
  });
}
