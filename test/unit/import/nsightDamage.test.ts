/** Damaged or malicious databases: each soon ends with a message or with the readable part. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { newFolder } from '../../support/newFolder.ts';
import { globalId, made, read, table } from './nsightSupport.ts';
import { pageBytes } from './smallExport.ts';

const folder = newFolder();

const kernels = table('CUPTI_ACTIVITY_KIND_KERNEL', [
  { start: 1, end: 2, deviceId: 0, streamId: 7, correlationId: 1, globalPid: globalId(42), demangledName: 1 },
]);
const readSql = (...statements: readonly string[]) => read(made(folder, statements.join('\n')));

/** Makes a database whose pages each point many times to the next, so that its only row counts 40^10 times. */
function tower(): string {
  const [levels, fan] = [10, 40];
  const path = made(folder, `PRAGMA page_size = ${pageBytes}; ${kernels}`);
  const whole = readFileSync(path);
  const pages = whole.length / pageBytes;
  const bytes = Buffer.alloc((pages + levels) * pageBytes);
  whole.copy(bytes);
  const root = 2;
  // The row moves to the last page; the table's own page becomes the first level.
  whole.copy(bytes, bytes.length - pageBytes, (root - 1) * pageBytes, root * pageBytes);
  for (let level = 0; level < levels; level += 1) {
    const at = (level === 0 ? root - 1 : pages + level - 1) * pageBytes;
    const child = pages + level + 1;
    const cellBytes = 5;
    const cells = pageBytes - fan * cellBytes;
    bytes.fill(0, at, at + pageBytes);
    bytes.writeUInt8(5, at);
    bytes.writeUInt16BE(fan, at + 3);
    bytes.writeUInt16BE(cells, at + 5);
    bytes.writeUInt32BE(child, at + 8);
    for (let cell = 0; cell < fan; cell += 1) {
      bytes.writeUInt16BE(cells + cell * cellBytes, at + 12 + 2 * cell);
      bytes.writeUInt32BE(child, at + cells + cell * cellBytes);
      bytes.writeUInt8(cell + 1, at + cells + cell * cellBytes + 4);
    }
  }
  bytes.writeUInt32BE(pages + levels, 28);
  writeFileSync(path, bytes);
  return path;
}

describe('a hostile database', () => {
  it('whose pages repeat one another without end is read no longer than its size allows', async () => {
    const run = await read(tower());
    expect(run.info.error?.message).toContain('it has more than a file of its size can');
    expect(run.trace.count).toBeGreaterThan(1000);
    expect(run.trace.count).toBeLessThan(10_000);
  });

  it.each([
    ['a view', 'CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start, 2 AS end, 0 AS deviceId, 7 AS streamId;'],
    [
      'a view without end',
      `CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n)
       SELECT start, start AS end, 0 AS deviceId, 7 AS streamId FROM n;`,
    ],
    ['a virtual table', 'CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, end, eventType, globalTid);'],
  ])('with %s for a table has no such table', async (_, sql) => {
    await expect(readSql(sql)).rejects.toMatchObject({ code: 'trace-file.not-a-trace' });
    const run = await readSql(sql.replaceAll('CUPTI_ACTIVITY_KIND_KERNEL', 'OSRT_API'), kernels);
    expect(run).toMatchObject({ info: { status: 'failed' }, trace: { count: 1 } });
  });

  it.each(['CREATE VIEW', 'CREATE VIEW "CUPTI_ACTIVITY_KIND_MEMCPY_V2" AS SELECT 1; --'])(
    'with a view in place of a table is partial, and names the view: %s',
    async (create) => {
      const view = `${create} CUPTI_ACTIVITY_KIND_MEMCPY AS SELECT 1 AS start, 2 AS "end", 0 AS deviceId, 7 AS streamId;`;
      const { info, trace } = await readSql(kernels, view);
      expect(trace.count).toBe(1);
      expect(info).toMatchObject({ status: 'failed', error: { code: 'trace-file.malformed' } });
      expect(info.error?.field).toMatch(/^CUPTI_ACTIVITY_KIND_MEMCPY(_V2)?$/);
      expect(info.error?.message).toContain('no plain table');
    },
  );

  it.each(['-wal', '-journal'])(
    'a database with changes in a separate %s file is partial, and the error names that file',
    async (ending) => {
      const path = made(folder, kernels);
      writeFileSync(`${path}${ending}`, '');
      expect((await read(path)).info.status).toBe('complete');
      writeFileSync(`${path}${ending}`, '\x37\x7f');
      const { info, trace } = await read(path);
      expect(trace.count).toBe(1);
      expect(info.status).toBe('failed');
      expect(info.error?.message).toContain(`${basename(path)}${ending}`);
    },
  );

  it('with columns that are worked out has no such columns', async () => {
    const run = await readSql(
      `CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId,
         demangledName AS (replace(hex(zeroblob(1000)), '0', 'x')));
       INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7);`,
    );
    expect(run).toMatchObject({ info: { status: 'complete' }, trace: { count: 1, names: ['(unnamed)'] } });
  });

  it('with triggers and indices has none of them run', async () => {
    const run = await readSql(
      kernels,
      `CREATE INDEX start ON CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid, demangledName);
       CREATE TRIGGER more AFTER INSERT ON CUPTI_ACTIVITY_KIND_KERNEL BEGIN DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; END;`,
    );
    expect(run).toMatchObject({ info: { status: 'complete' }, trace: { count: 1 } });
  });

  it('with names that are SQL or very long has them as names', async () => {
    const evil = `x"; DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; --`;
    const quoted = `"${evil.replaceAll('"', '""')}"`;
    const run = await readSql(
      `CREATE TABLE ${quoted} (${quoted}); INSERT INTO ${quoted} VALUES (1);
       CREATE TABLE ${`"NVTX_EVENTS_V1""; --"`} (start, end, eventType, globalTid);
       CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, replace(hex(zeroblob(1000000)), '0', 'n'));`,
      kernels,
    );
    expect(run.trace.names).toEqual(['n'.repeat(1000)]);
  });

  it('with more threads than can be shown is read as far as that', async () => {
    const run = await readSql(
      `CREATE TABLE NVTX_EVENTS (start, end, eventType, globalTid, text);
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9500)
       INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, i, 'x' FROM n;`,
    );
    expect(run.info).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('more threads') } });
    expect(encodeRun(run).length).toBeGreaterThan(0);
  });
});
