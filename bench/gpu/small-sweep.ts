/**
 * 1,000 tensors of 4,000 bytes to the device with other numbers of threads and other chunks, back to back and after a
 * rest of a millisecond; and, row by row, what one such copy consists of. For the choice of the numbers in tuning.cpp.
 *
 *   node dist/gpu/small-sweep.js
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../../core/statistics.ts';
import type { Run } from '../../core/trace/run.ts';
import { experiment, runOnGpu } from '../../test/gpu/support.ts';
import { measureCopies } from '../support/measureCopies.ts';
import { measureStartCopy } from './measureStartCopy.ts';

const device = process.env['COPY_DEVICE'] ?? 'cuda:0';
const sizes = Array<number>(1000).fill(4000);
const threadCounts = [1, 2, 4, 6, 8, 12];
const chunkKiB = [256, 512, 1024, 2048, 4096];
const lines: string[] = [];

function say(line: string): void {
  console.log(line);
  lines.push(line);
}

const inUs = (ns: readonly number[]): string => (median(ns) / 1000).toFixed(1);

for (const streamingStores of [true, false])
  for (const pauseMs of [0, 1]) {
    const how = `${streamingStores ? 'past' : 'through'} the caches${pauseMs > 0 ? ', after a rest of 1 ms' : ''}`;
    say(`H2D 1000 x 4000 B, us by threads (down) and KiB of a chunk (across), stores ${how}`);
    say(['threads', ...chunkKiB].map((text) => String(text).padStart(8)).join(''));
    for (const threads of threadCounts) {
      const times = chunkKiB.map((KiB) => {
        const shape = { threads, chunkBytes: KiB * 1024, streamingStores } as const;
        const request = { device, direction: 'h2d', sizes, ...shape, pauseMs } as const;
        const { ns, wrong } = measureCopies({ ...request, repetitions: 101, warmups: 10 });
        return wrong > 0 ? 'WRONG' : inUs([...ns]);
      });
      say([threads, ...times].map((text) => String(text).padStart(8)).join(''));
    }
  }

say('H2D of other payloads, us: stores past the caches, through the caches');
for (const KiB of [150, 512, 1024, 2048, 8192, 16_384, 32_768]) {
  const tensors = Array<number>(Math.ceil((KiB * 1024) / 4000)).fill(4000);
  const times = [true, false].map((streamingStores) => {
    const request = { device, direction: 'h2d', sizes: tensors, streamingStores } as const;
    return inUs([...measureCopies({ ...request, repetitions: 51, warmups: 10 }).ns]).padStart(8);
  });
  say(`${String(KiB).padStart(8)} KiB${times.join('')}`);
}

say('startCopy of 1000 x 4000 B, us: the call alone, to the device');
for (const threads of [undefined, ...threadCounts]) {
  const options = threads === undefined ? {} : { threads };
  const { ns, wrong } = await measureStartCopy(device, sizes, 201, options);
  const parts = ['the call alone', 'to the device'].map((part) => inUs(ns[part] ?? []).padStart(8));
  say(`${String(threads ?? 'default').padStart(8)}${parts.join('')}${wrong > 0 ? '  WRONG' : ''}`);
}

const asOperation = experiment({
  name: 'many small tensors',
  environment: { iterations: 21, warmups: 5 },
  streams: [{ id: 's' }],
  threads: [
    {
      id: 'main',
      operations: [{ op: 'multiCopy', payload: { tensors: 1000, bytes: 4000 }, strategy: 'pipelined', stream: 's' }],
    },
  ],
});
sayRows(await runOnGpu(asOperation));
const out = process.env['OUT'];
if (out !== undefined) appendFileSync(join(out, 'small-sweep.txt'), `${lines.join('\n')}\n`);

/** Every row of the representative iteration, in order of time. */
function sayRows({ trace, info }: Run): void {
  const { iteration, lane, startNs, durationNs, bytes, name } = trace.columns;
  const shown = info.iterations.representative;
  const rows = Array.from({ length: trace.count }, (_, row) => row).filter((row) => iteration[row] === shown);
  rows.sort((a, b) => (startNs[a] ?? 0) - (startNs[b] ?? 0));
  say(`One copy as an operation, of ${inUs(info.iterations.plainWallNs)} us without recording: start, duration, bytes`);
  for (const row of rows) {
    const times = [startNs[row] ?? 0, durationNs[row] ?? 0].map((ns) => (ns / 1000).toFixed(1).padStart(8));
    const what = `${trace.lanes[lane[row] ?? -1]?.name ?? ''}  ${trace.names[name[row] ?? -1] ?? ''}`;
    say(`${times.join('')}${String(bytes[row]).padStart(9)}  ${what}`);
  }
}
