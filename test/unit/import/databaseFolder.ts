import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder for a test file's databases, which goes away after it. */
export function databaseFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-nsight-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
