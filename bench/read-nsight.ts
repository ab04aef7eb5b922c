/**
 * Reads a generated export of Nsight Systems and measures time and memory: node bench/run.mjs read-nsight [ROWS]
 * [FILE]. Without FILE the export is generated.
 */
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { importTraceFile } from '../host/library/importTrace.ts';
import { writeLargeNsight } from './support/largeNsight.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const given = process.argv[3];
const path = given ?? join(tmpdir(), `copyscope-bench-${process.pid}.sqlite`);
if (given === undefined) writeLargeNsight(path, rows);
try {
  const before = process.cpuUsage();
  const start = performance.now();
  const run = await importTraceFile(path, '0');
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const megabytes = statSync(path).size / 1e6;
  const peak = (process.resourceUsage().maxRSS * 1024) / 1e6;
  console.log(
    `${run.info.imported?.events} events, ${megabytes.toFixed(0)} MB, ${run.trace.count} rows: ` +
      `${seconds.toFixed(2)} s, ${((user + system) / 1e6).toFixed(2)} s of processors, at most ${peak.toFixed(0)} MB of memory`,
  );
} finally {
  if (given === undefined) rmSync(path);
}
