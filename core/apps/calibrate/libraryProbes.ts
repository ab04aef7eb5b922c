/** Probes for the speed of cuBLAS and cuFFT and the cost of first uses. If a library is missing, its probes fail. */
import { planCalls } from '../../machine/instructionSteps.ts';
import { stream, synchronize, warmUp } from './operations.ts';
import type { PlanBuilder } from './plan.ts';
import { callNs, type Recorded, workNs } from './reading.ts';

const extent = 4096;
const transform = { size: 4096, numberBytes: 8 };

const types = [
  { name: 'matmul.float32FlopsPerSecond', dtype: 'float32', tf32: false },
  { name: 'matmul.tf32FlopsPerSecond', dtype: 'float32', tf32: true },
  { name: 'matmul.float16FlopsPerSecond', dtype: 'float16', tf32: false },
  { name: 'matmul.bfloat16FlopsPerSecond', dtype: 'bfloat16', tf32: false },
] as const;

export function addLibraryProbes(builder: PlanBuilder): void {
  addProducts(builder);
  addTransforms(builder);
  addFirstUses(builder);
}

const device = (id: string, bytes: number, kind: 'float32' | 'float16' | 'bfloat16') => ({
  ...{ id, memory: 'device' as const, bytes },
  pattern: { kind, seed: 1 },
});

/** Uses so much work that the kernels' fixed time doesn't matter. */
function addProducts(builder: PlanBuilder): void {
  for (const { name, dtype, tf32 } of types) {
    const bytes = extent * extent * (dtype === 'float32' ? 4 : 2);
    const buffers = ['a', 'b', 'c'].map((id) => device(id, bytes, dtype));
    const product = (label: string) => ({
      ...{ op: 'kernel' as const, label, stream: 'work', reads: ['a', 'b'], writes: ['c'] },
      kernel: { kind: 'matmul' as const, m: extent, n: extent, k: extent, dtype, tf32 },
    });
    builder
      .probe(`matrix products ${tf32 ? 'TF32' : dtype}`, { streams: [stream], buffers }, [
        warmUp(product('warm')),
        ...[product('product'), product('product'), product('product')],
        synchronize(),
      ])
      .value(name, (recorded) => workNs('product')(recorded).map((ns) => (2 * extent ** 3 * 1e9) / ns));
  }
}

function addTransforms(builder: PlanBuilder): void {
  const { size, numberBytes } = transform;
  const batch = Math.floor(Math.min(2 ** 28, builder.options.largestBytes) / (size * numberBytes));
  const bytes = size * numberBytes * batch;
  const buffers = ['in', 'out'].map((id) => device(id, bytes, 'float32'));
  const fft = (label: string) => ({
    ...{ op: 'kernel' as const, label, stream: 'work', reads: ['in'], writes: ['out'] },
    kernel: { kind: 'fft' as const, size, batch },
  });
  builder
    .probe('transforms', { streams: [stream], buffers }, [warmUp(fft('warm')), fft('fft'), fft('fft'), synchronize()])
    .value('fft.bytesPerSecond', (recorded) => workNs('fft')(recorded).map((ns) => (2 * bytes * 1e9) / ns));
}

/** Uses an idle device, so that only the libraries' own work counts. */
function addFirstUses(builder: PlanBuilder): void {
  const numbers = 256;
  const small = (id: string) => device(id, numbers * numbers * transform.numberBytes, 'float32');
  const buffers = ['a', 'b', 'c'].map(small);
  const product = {
    ...{ op: 'kernel' as const, label: 'product', stream: 'work', reads: ['a', 'b'], writes: ['c'] },
    kernel: { kind: 'matmul' as const, m: numbers, n: numbers, k: numbers, workspace: 'first-use' as const },
  };
  const fft = {
    ...{ op: 'kernel' as const, label: 'fft', stream: 'work', reads: ['a'], writes: ['b'] },
    kernel: { kind: 'fft' as const, size: numbers * numbers, plan: 'first-use' as const },
  };
  const first = (label: 'product' | 'fft') => (recorded: Recorded) =>
    callNs(label, planCalls[label === 'fft' ? 'fft' : 'matmul'])(recorded);
  builder
    .probe('first uses', { streams: [stream], buffers }, [product, synchronize(), fft, synchronize()])
    .value('matmul.workspaceNs', first('product'))
    .value('fft.planNs', first('fft'));
}
