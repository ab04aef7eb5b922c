/**
 * Measures pageable tensors of 4 MB with different numbers of threads and slots, and stores past or through the caches, and
 * pinned memory in the same run, to choose the numbers in tuning.cpp. Takes about half a minute; appends to
 * $OUT/ring-sweep.txt.
 *
 *   node dist/gpu/ring-sweep.js [h2d|d2h]
 */
import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { median } from '../../core/statistics.ts';
import type { CopyTuning } from '../../native/copy/options.ts';
import { type CopyDirection, measureCopies, trimCopies } from '../support/measureCopies.ts';

const device = process.env['COPY_DEVICE'] ?? 'cuda:0';
const tensors = device.startsWith('cuda') ? 200 : 20;
const sizes = Array<number>(tensors).fill(4_000_000);
const threadCounts = [6, 8, 10, 12, 16].filter((threads) => threads < cpus().length || threads === 6);
const slotMiB = [2, 4];
const asked = process.argv[2];
const directions: readonly CopyDirection[] = asked === 'h2d' || asked === 'd2h' ? [asked] : ['d2h', 'h2d'];
const lines: string[] = [];

function say(line: string): void {
  console.log(line);
  lines.push(line);
}

/** Median and least GB/s of the repetitions. */
function speed(direction: CopyDirection, memory: 'pinned' | 'pageable', tuning: CopyTuning): string {
  const { ns, bytes, wrong } = measureCopies({ device, direction, sizes, memory, ...tuning, repetitions: 9 });
  if (wrong > 0) return 'WRONG';
  const least = bytes / Math.max(...ns);
  return `${(bytes / median([...ns])).toFixed(1)} (${least.toFixed(1)})`;
}

const row = (cells: readonly (string | number)[]): string => cells.map((cell) => String(cell).padStart(14)).join('');
const columns = slotMiB.flatMap((MiB) => [false, true].map((streamingStores) => ({ MiB, streamingStores })));

say(`${cpus().length} cores; ${tensors} x 4 MB, GB/s: the median, and the least`);
for (const direction of directions) {
  const pinned = (): string => speed(direction, 'pinned', { strategy: 'non-blocking-loop' });
  say(`${direction}, pinned memory, non-blocking loop: ${pinned()}`);
  say(row(['threads', ...columns.map(({ MiB, streamingStores }) => `${MiB} MiB${streamingStores ? ' past' : ''}`)]));
  say(row(['default', speed(direction, 'pageable', {})]));
  for (const threads of threadCounts) {
    const cells = columns.map(({ MiB, streamingStores }) =>
      speed(direction, 'pageable', { threads, slotBytes: MiB * 2 ** 20, streamingStores }),
    );
    say(row([threads, ...cells]));
  }
  // Twice the default ring: whether the link loses time between one slot and the next.
  const large = { threads: 8, slotsPerThread: 2, slotBytes: 8 * 2 ** 20 } as const;
  const found = [false, true].map((streamingStores) => speed(direction, 'pageable', { ...large, streamingStores }));
  say(`${direction}, 8 threads with 2 slots of 8 MiB each: ${found[0]}, past the caches ${found[1]}`);
  say(`${direction}, pinned memory again: ${pinned()}`);
}
trimCopies(device);
const out = process.env['OUT'];
if (out !== undefined) appendFileSync(join(out, 'ring-sweep.txt'), `${lines.join('\n')}\n`);
