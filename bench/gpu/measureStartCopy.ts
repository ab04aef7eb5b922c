/** Times startCopy from JavaScript: the call, and the whole way to the results, up and down. */

import { type CopyOptions, release, startCopy } from '../../native/copy/startCopy.ts';
import type { DeviceTensor, HostTensor } from '../../native/copy/tensors.ts';
import { copyCounts } from '../support/measureCopies.ts';

interface Measured {
  readonly ns: Readonly<Record<string, readonly number[]>>;
  readonly bytes: number;
  readonly checked: number;
  readonly wrong: number;
  readonly allocations: number;
}

/** The first and the last repetition are verified; the last one copies other bytes than those before. */
export async function measureStartCopy(
  device: string,
  sizes: readonly number[],
  repetitions: number,
  options: CopyOptions = {},
): Promise<Measured> {
  const sources = sizes.map((bytes) => new Uint8Array(bytes));
  const warmups = Math.max(2, Math.ceil(repetitions / 20));
  const calls: number[] = [];
  const up: number[] = [];
  const down: number[] = [];
  let checked = 0;
  let wrong = 0;
  let before = 0;
  fill(sources, 1);
  for (let round = 0; round < warmups + repetitions; round += 1) {
    const last = round === warmups + repetitions - 1;
    if (last) fill(sources, 2);
    if (round === warmups) before = allocations(device);
    const start = process.hrtime.bigint();
    const handle = startCopy<DeviceTensor[]>(sources, device, options);
    const called = process.hrtime.bigint();
    const copied = await handle.get();
    const arrived = process.hrtime.bigint();
    const results = await startCopy<HostTensor[]>(copied, 'cpu').get();
    const back = process.hrtime.bigint();
    if (round >= warmups) {
      calls.push(Number(called - start));
      up.push(Number(arrived - start));
      down.push(Number(back - arrived));
    }
    if (round === 0 || last) {
      results.forEach((result, index) => {
        const source = sources[index] ?? new Uint8Array();
        checked += source.length;
        if (Buffer.compare(source, result.bytes) !== 0) wrong += source.length;
      });
    }
    release(copied);
    release(results);
    // The pinned memory goes back with the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const ns = { 'the call alone': calls, 'to the device': up, 'back into pinned memory': down };
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { ns, bytes, checked, wrong, allocations: allocations(device) - before };
}

function allocations(device: string): number {
  const { pinned, device: memory, eventsMade, threadsStarted } = copyCounts(device);
  return pinned.allocations + memory.allocations + eventsMade + threadsStarted;
}

/** Other bytes in each tensor and for each seed. */
function fill(sources: readonly Uint8Array[], seed: number): void {
  sources.forEach((source, index) => {
    const pattern = Uint8Array.from({ length: 251 }, (_, at) => at * 7 + index * 13 + seed * 101);
    for (let at = 0; at < source.length; at += pattern.length) {
      source.set(pattern.subarray(0, Math.min(pattern.length, source.length - at)), at);
    }
  });
}
