/**
 * Tensors of 4 MB over the links of all GPUs at once, with other numbers of threads, chunks and slots, beside one link:
 * for the choice of the numbers in relay_tuning.cpp. Takes about half a minute; appends to $OUT/relay-sweep.txt.
 *
 *   node dist/gpu/relay-sweep.js          COPY_DEVICE=cpu-device:0 tries it where there is no GPU
 */
import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { median } from '../../core/statistics.ts';
import { type CopyDirection, type MeasureRequest, measureCopies, trimCopies } from '../../native/copy/measure.ts';
import { loadNative } from '../../native/index.ts';

const device = process.env['COPY_DEVICE'] ?? 'cuda:0';
const isTrial = !device.startsWith('cuda');
const devices = isTrial ? 2 : loadNative().report().devices.length;
const sizes = Array<number>(isTrial ? 10 : 300).fill(4_000_000);
const cores = cpus().length;
const threadCounts = [8, 12, 16, 20, 24].filter((threads) => threads <= Math.max(8, cores));
const chunkMiB = [1, 2, 4, 8];
const MiB = 2 ** 20;
const lines: string[] = [];

function say(line: string): void {
  console.log(line);
  lines.push(line);
}

/** Median GB/s of the repetitions, and the least. */
function speed(direction: CopyDirection, request: Omit<MeasureRequest, 'device' | 'direction' | 'sizes'>): string {
  const { ns, bytes, wrong } = measureCopies({ device, direction, sizes, ...request, repetitions: 7 });
  if (wrong > 0) return 'WRONG';
  return `${(bytes / median([...ns])).toFixed(1)} (${(bytes / Math.max(...ns)).toFixed(1)})`;
}

const row = (cells: readonly (string | number)[]): string => cells.map((cell) => String(cell).padStart(15)).join('');

if (devices < 2) say('relay sweep: not measured (this machine has one GPU)');
else {
  say(`${cores} cores, ${devices} devices; ${sizes.length} x 4 MB, GB/s: the median, and the least`);
  for (const direction of ['h2d', 'd2h'] as const) {
    const relay = isTrial ? ([1] as const) : 'auto';
    say(`${direction}, one link: pageable ${speed(direction, {})}, pinned ${speed(direction, { memory: 'pinned' })}`);
    say(
      `${direction}, relay: pageable ${speed(direction, { relay })}, pinned ${speed(direction, { memory: 'pinned', relay })}`,
    );
    say(row(['threads', ...chunkMiB.flatMap((size) => [`${size} MiB`, `${size} MiB past`])]));
    for (const threads of threadCounts) {
      const cells = chunkMiB.flatMap((size) =>
        [false, true].map((streamingStores) =>
          speed(direction, { relay, threads, slotBytes: size * MiB, chunkBytes: size * MiB, streamingStores }),
        ),
      );
      say(row([threads, ...cells]));
    }
    const pinned = chunkMiB.map((size) =>
      speed(direction, { relay, memory: 'pinned', slotBytes: size * MiB, chunkBytes: size * MiB }),
    );
    say(row(['pinned', ...pinned.flatMap((cell) => [cell, ''])]));
  }
  trimCopies(device);
}
const out = process.env['OUT'];
if (out !== undefined) appendFileSync(join(out, 'relay-sweep.txt'), `${lines.join('\n')}\n`);
