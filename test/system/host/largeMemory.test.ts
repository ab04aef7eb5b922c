/** The memory that a large trace takes, watched at a smaller size: a process with a small heap explains one. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  copyFileSync(built.script, join(program, 'dist/host/cli.js'));
  built.remove();
});
afterAll(() => rmSync(program, { recursive: true, force: true, maxRetries: 10 }));

it('does not grow with the objects that there would be of each event', () => {
  const path = join(program, 'large.json');
  writeLargeTrace(path, 600_000, 'tiny');
  // Half of it is for the plan, of as many calls for any size. The columns lie outside of this heap.
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=350', join(program, 'dist/host/cli.js'), 'explain', path],
    { encoding: 'utf8', env: { ...process.env, COPYSCOPE_DATA: join(program, 'data') } },
  );
  expect(stderr.slice(-2000)).not.toContain('heap out of memory');
  expect(status).toBe(0);
});
