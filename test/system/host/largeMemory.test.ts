/** Memory use of reading and explaining a large trace. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeLargeTrace } from '../../support/largeTrace.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';

let program: string;

beforeAll(async () => {
  program = mkdtempSync(join(tmpdir(), 'copyscope-large-memory-'));
  mkdirSync(join(program, 'dist/host'), { recursive: true });
  symlinkSync(join(repository, 'assets'), join(program, 'assets'));
  writeFileSync(join(program, 'package.json'), JSON.stringify({ type: 'module', version: '1.0.0' }));
  const built = await buildEntry(join(repository, 'host/cli/main.ts'));
  copyFileSync(built, join(program, 'dist/host/cli.js'));
});
afterAll(() => rmSync(program, { recursive: true, force: true, maxRetries: 10 }));

it('does not grow with the objects that there would be of each event', () => {
  const path = join(program, 'large.json');
  writeLargeTrace(path, 600_000, 'tiny');
  // Half of it is for the plan, with the same number of calls for any size. The columns are outside this heap.
  const { status, stderr } = explained(path, '--max-old-space-size=350');
  expect(stderr.slice(-2000)).not.toContain('heap out of memory');
  expect(status).toBe(0);
});

// It takes 560 MB, and 620 on a busy machine, which collects garbage later. An object for each event would take twice as much.
it('is less than 700 MB for a gzip of 2 MB that holds 6,400,000 kernels', async () => {
  const path = join(program, 'kernels.json.gz');
  const kernel = { ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: 1, dur: 1, args: { device: 0, stream: 7 } };
  const block = `${JSON.stringify(kernel)},`.repeat(6400);
  const parts = ['{"traceEvents":[', ...Array.from({ length: 999 }, () => block), block.slice(0, -1), ']}'];
  await pipeline(Readable.from(parts), createGzip(), createWriteStream(path));
  const { status, stderr } = explained(path, '--import', `data:text/javascript,${encodeURIComponent(tellsPeak)}`);
  expect(stderr).toContain('This trace does not say which host call issued which GPU work.');
  expect(status).toBe(0);
  expect(Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024).toBeLessThan(700e6);
});

const tellsPeak = `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS));`;

const explained = (path: string, ...options: string[]) =>
  spawnSync(process.execPath, [...options, join(program, 'dist/host/cli.js'), 'explain', path], {
    encoding: 'utf8',
    env: { ...process.env, COPYSCOPE_DATA: join(program, 'data') },
  });
