/**
 * Reads a generated PyTorch trace and says what it took: node test/bench/run.mjs read-trace [EVENTS] [FILE].
 * The file is generated anew where none is named.
 */
import { createReadStream, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { readPyTorchTrace } from '../../core/import/kineto/pytorchTrace.ts';
import { unpacked } from '../../host/service/imports/unpacked.ts';
import { writeLargeTrace } from './support/largeTrace.ts';

const events = Number(process.argv[2] ?? 1_000_000);
const given = process.argv[3];
const path = given ?? join(tmpdir(), `copyscope-bench-${process.pid}.json`);
if (given === undefined) writeLargeTrace(path, events);
try {
  const start = performance.now();
  const run = await readPyTorchTrace(unpacked(createReadStream(path, { highWaterMark: 1 << 20 })), {
    name: 'bench',
    version: '0',
    modifiedAt: new Date(),
  });
  const seconds = (performance.now() - start) / 1000;
  const megabytes = statSync(path).size / 1e6;
  const peak = (process.resourceUsage().maxRSS * 1024) / 1e6;
  console.log(
    `${run.info.imported?.events} events, ${megabytes.toFixed(0)} MB, ${run.trace.count} rows: ` +
      `${seconds.toFixed(2)} s, ${(megabytes / seconds).toFixed(0)} MB/s, at most ${peak.toFixed(0)} MB of memory`,
  );
} finally {
  if (given === undefined) rmSync(path);
}
