import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

/** Makes an empty folder, which is deleted after the tests of the file. */
export function newFolder(prefix = join(tmpdir(), 'copyscope-test-')): string {
  const path = mkdtempSync(prefix);
  made.push(path);
  return path;
}

/** The setup of each file of tests calls it. */
export const deleteFoldersAtEnd = (): void =>
  afterAll(() => {
    for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  });
