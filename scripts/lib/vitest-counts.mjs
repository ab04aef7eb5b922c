/** A vitest reporter that writes what scripts/test.mjs adds up: counts, and the skipped tests with their reasons. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inRoot } from './paths.mjs';

export const vitestCounts = inRoot('test-results/vitest.json');

export default class CountsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      // A file that can't be loaded has no tests to fail.
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) count(test, module, counts);
    }
    mkdirSync(dirname(vitestCounts), { recursive: true });
    writeFileSync(vitestCounts, JSON.stringify(counts));
  }
}

function count(test, module, counts) {
  const { state, note } = test.result();
  if (state === 'passed') counts.passed += 1;
  else if (state === 'skipped')
    counts.skipped.push({ test: `${module.relativeModuleId} > ${test.fullName}`, reason: note });
  else counts.failed += 1;
}
