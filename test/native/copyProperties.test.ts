/** For any batch and any options: tensors are aligned, separate and within the limit, and every byte arrives. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyStrategies } from '../../core/experiment/operations.ts';
import { type Dtype, dtypes, elementBytes } from '../../native/copy/dtypes.ts';
import { type DeviceTensor, type HostTensor, release, startCopy } from '../../native/index.ts';
import { runs } from '../support/effort.ts';
import { device, tensor } from './copySupport.ts';
import { describeNative } from './support.ts';

const leaf = fc.record({
  dtype: fc.constantFrom<Dtype[]>(...dtypes),
  elements: fc.oneof({ weight: 8, arbitrary: fc.nat(200) }, { weight: 1, arbitrary: fc.nat(70_000) }),
});
const options = fc.record(
  {
    strategy: fc.constantFrom(...copyStrategies),
    use_pinned_staging: fc.boolean(),
    pack_cpu_tensors: fc.boolean(),
    min_packed_alignment_bytes: fc.integer({ min: 1, max: 300 }),
    max_packed_chunk_bytes: fc.nat(100_000),
    use_background_thread: fc.boolean(),
    threads: fc.integer({ min: 1, max: 4 }),
    slotsPerThread: fc.integer({ min: 1, max: 3 }),
    slotBytes: fc.integer({ min: 4096, max: 100_000 }),
    chunkBytes: fc.integer({ min: 4096, max: 200_000 }),
    streamingStores: fc.boolean(),
  },
  { requiredKeys: [] },
);
const smallest = 256 * 1024;

describeNative('startCopy, any batch', () => {
  test('lies aligned, apart and within the limit, and arrives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(leaf, { maxLength: 40 }), options, async (leaves, chosen) => {
        const sources = leaves.map(({ dtype, elements }, seed) => tensor(dtype, elements, seed));
        const copied = await startCopy<DeviceTensor[]>(sources, device, chosen).get();
        requirePlacement(copied, chosen.min_packed_alignment_bytes ?? 16, chosen.max_packed_chunk_bytes ?? 2 ** 25);
        const back = await startCopy<HostTensor[]>(copied, 'cpu', chosen).get();
        back.forEach((result, index) => {
          expect(result.dtype).toBe(sources[index]?.dtype);
          expect(Buffer.compare(result.bytes, sources[index]?.bytes ?? new Uint8Array())).toBe(0);
        });
        release([copied, back]);
      }),
      { numRuns: runs(150) },
    );
  });
});

function requirePlacement(tensors: readonly DeviceTensor[], alignment: number, limit: number): void {
  const groups = groupByStorage(tensors);
  for (const members of groups.values()) {
    let end = 0;
    for (const { byteOffset, byteLength, dtype } of members) {
      const element = elementBytes(dtype);
      expect(byteOffset % (Math.ceil(Math.max(alignment, element) / element) * element)).toBe(0);
      expect(byteOffset).toBeGreaterThanOrEqual(end);
      expect(members.length === 1 || byteLength <= smallest).toBe(true);
      end = byteOffset + byteLength;
    }
    expect(members.length === 1 || end <= limit).toBe(true);
  }
}

function groupByStorage(tensors: readonly DeviceTensor[]): Map<object, DeviceTensor[]> {
  const groups = new Map<object, DeviceTensor[]>();
  for (const one of tensors) {
    if (one.storage === null) continue;
    const members = groups.get(one.storage) ?? [];
    members.push(one);
    groups.set(one.storage, members);
  }
  return groups;
}
