import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder for a test file's databases, which is removed after it. */
export function databaseFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-nsight-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
