/** Adds up what the test runners counted: { passed, failed, skipped: [{ test, reason }] }. */

export const noCounts = () => ({ passed: 0, failed: 0, skipped: [] });

export function addCounts(counts) {
  return counts.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: [...sum.skipped, ...skipped],
    }),
    noCounts(),
  );
}

/** What vitest's modules and the errors outside of them come to. */
export function vitestCounts(modules, unhandledErrors) {
  const counts = { ...noCounts(), failed: unhandledErrors.length };
  for (const module of modules) {
    // A file that can't be loaded has no tests to fail.
    counts.failed += module.errors().length;
    for (const test of module.children.allTests()) {
      const { state, note } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'skipped')
        counts.skipped.push({ test: `${module.relativeModuleId} > ${test.fullName}`, reason: note });
      else counts.failed += 1;
    }
  }
  return counts;
}

/** What Playwright's JSON report comes to. A test that passes only when tried again has failed: none may need luck. */
export function playwrightCounts(report) {
  const counts = { ...noCounts(), failed: report.errors.length };
  for (const { test, title } of playwrightTests(report)) {
    if (test.status === 'expected') counts.passed += 1;
    else if (test.status === 'skipped') counts.skipped.push({ test: title, reason: skipReason(test) });
    else counts.failed += 1;
  }
  return counts;
}

/** Playwright nests suites in suites; a spec holds a test for each project. */
function* playwrightTests(suite, path = []) {
  for (const spec of suite.specs ?? []) {
    for (const test of spec.tests) yield { test, title: [...path, spec.title].join(' > ') };
  }
  for (const inner of suite.suites ?? []) yield* playwrightTests(inner, [...path, inner.title]);
}

const skipReason = (test) => test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;

/** The counts of a runner that ended with `exitCode`: at least one failure where it ended badly. */
export const withExitCode = (counts, exitCode) =>
  exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;

/** The line that CI reads. */
export const countLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed, ${skipped.length} skipped`;
