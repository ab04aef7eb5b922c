/**
 * Writes an export as Nsight Systems makes them, of any number of rows, with the mix of a recorded training step: ranges
 * in ranges, calls, kernels, copies on a side stream. Not random, so that every run of a benchmark reads the same.
 */
import { createRequire } from 'node:module';
import type { Database } from 'node-sqlite3-wasm';

const sqlite = createRequire(import.meta.url)('node-sqlite3-wasm') as { Database: typeof Database };

const thread = (1n << 48n) + (576n << 24n) + 576n;
const process0 = (1n << 48n) + (576n << 24n);

/** Writes rows: in ten rows five ranges, two calls, two kernels, and one call or copy. */
export function writeLargeNsight(path: string, rows: number): void {
  const database = new sqlite.Database(path);
  const groups = Math.floor(rows / 10);
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${groups - 1})`;
  const base = 4_292_136_684_827_000n;
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
      correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
      gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER,
      dstKind INTEGER);
    CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
    INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020');
    ${numbers} INSERT INTO StringIds SELECT 10 + i, 'void kernel_' || i || '<float>(int, float*)' FROM n WHERE i < 64;
    ${[0, 1, 2, 3, 4]
      .map(
        (depth) => `${numbers} INSERT INTO NVTX_EVENTS SELECT ${base} + i * 60000 + ${depth * 500},
          ${base} + i * 60000 + ${50_000 - depth * 500}, 59, 'aten::op${depth}, op_id = ' || i, ${thread}, NULL FROM n;`,
      )
      .join('\n')}
    ${[0, 1]
      .map(
        (at) => `${numbers} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT ${base} + i * 60000 + ${5000 + at * 10_000},
          ${base} + i * 60000 + ${9000 + at * 10_000}, 0, ${thread}, 3 * i + ${at + 1}, 1, 0, NULL FROM n;
        ${numbers} INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT ${base} + i * 60000 + ${12_000 + at * 10_000},
          ${base} + i * 60000 + ${20_000 + at * 10_000}, 0, 1, 7, 3 * i + ${at + 1}, ${process0}, 10 + i % 64, 10 + i % 64,
          512, 1, 1, 128, 1, 1 FROM n;`,
      )
      .join('\n')}
    ${numbers} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT ${base} + i * 60000 + 30000, ${base} + i * 60000 + 34000, 0,
      ${thread}, 3 * i + 3, 2, 0, NULL FROM n WHERE i % 2 = 0;
    ${numbers} INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT ${base} + i * 60000 + 36000, ${base} + i * 60000 + 59000, 0, 1,
      13, 3 * i + 3, ${process0}, 16777216, 1, 1, 2 FROM n WHERE i % 2 = 0;
  `);
  database.close();
}
