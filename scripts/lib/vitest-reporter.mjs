/** A vitest reporter that leaves its counts for scripts/test.mjs; vitest's own JSON has no reasons for skipping. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { vitestCounts } from './counts.mjs';
import { inRoot } from './paths.mjs';

export const vitestCountsFile = inRoot('test-results/vitest.json');

export default class CountsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    mkdirSync(dirname(vitestCountsFile), { recursive: true });
    writeFileSync(vitestCountsFile, JSON.stringify(vitestCounts(modules, unhandledErrors)));
  }
}
