/** Adds up what the test runners counted. */
import { stripVTControlCharacters } from 'node:util';

/** @typedef {{ test: string, reason: string }[]} NamedTests */

/**
 * `flaky` has the tests that passed only at the second try, with the reason why the first one failed. They count as
 * passed.
 *
 * @returns {{ passed: number, failed: NamedTests, flaky: NamedTests, skipped: NamedTests }}
 */
export const noCounts = () => ({ passed: 0, failed: [], flaky: [], skipped: [] });

export function addCounts(counts) {
  return counts.reduce(
    (sum, { passed, failed, flaky, skipped }) => ({
      passed: sum.passed + passed,
      failed: [...sum.failed, ...failed],
      flaky: [...sum.flaky, ...flaky],
      skipped: [...sum.skipped, ...skipped],
    }),
    noCounts(),
  );
}

/** One failure that no test of a runner stands for. */
export const failure = (test, reason) => ({ ...noCounts(), failed: [{ test, reason }] });

const mostLines = 3;
const mostCharacters = 400;

/**
 * The first lines of an error's message in one. One line is too few: Playwright names the locator in the third, and
 * fast-check the seed in the second.
 */
function shortReason(errors) {
  const lines = stripVTControlCharacters(errors[0]?.message ?? 'ended without an error')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const text = lines.slice(0, mostLines).join(' | ');
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

/** Returns the counts of vitest's modules and of the errors outside of them. */
export function vitestCounts(modules, unhandledErrors) {
  const counts = noCounts();
  const failed = (test, errors) => counts.failed.push({ test, reason: shortReason(errors) });
  for (const error of unhandledErrors) failed('vitest, outside of any test', [error]);
  for (const module of modules) {
    // A file that can't be loaded has no tests to fail.
    for (const error of module.errors()) failed(module.relativeModuleId, [error]);
    for (const test of module.children.allTests()) {
      const { state, note, errors } = test.result();
      const name = `${module.relativeModuleId} > ${test.fullName}`;
      if (state === 'passed') {
        counts.passed += 1;
        if (test.diagnostic()?.flaky === true) counts.flaky.push({ test: name, reason: shortReason(errors ?? []) });
      } else if (state === 'skipped') counts.skipped.push({ test: name, reason: note ?? 'no reason given' });
      else failed(name, errors ?? []);
    }
  }
  return counts;
}

/** Returns the counts in Playwright's JSON report. */
export function playwrightCounts(report) {
  const counts = noCounts();
  const failed = (test, errors) => counts.failed.push({ test, reason: shortReason(errors) });
  for (const error of report.errors) failed('Playwright, outside of any test', [error]);
  for (const { test, title } of playwrightTests(report)) {
    const errors = test.results.flatMap((result) => result.errors);
    if (test.status === 'skipped') counts.skipped.push({ test: title, reason: skipReason(test) });
    else if (test.status === 'unexpected') failed(title, errors);
    else {
      counts.passed += 1;
      if (test.status === 'flaky') counts.flaky.push({ test: title, reason: shortReason(errors) });
    }
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

const skipReason = ({ annotations }) =>
  annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description ?? 'no reason given';

/** Returns the counts in CTest's log. Each of its tests counts once. */
export function ctestCounts(log) {
  const counts = noCounts();
  for (const [, test, state] of log.matchAll(/^\s*\d+\/\d+ Test\s+#\d+: (\S+) \.*\s*(.+?)\s+[\d.]+ sec\s*$/gm)) {
    if (state === 'Passed') counts.passed += 1;
    else counts.failed.push({ test: `C++: ${test}`, reason: state.replace(/^\**/, '') });
  }
  return counts;
}

/** The counts of a runner that ended with `exitCode`: at least one failure where it ended badly. */
export const withExitCode = (counts, exitCode, runner) =>
  exitCode !== 0 && counts.failed.length === 0
    ? addCounts([counts, failure(runner, `exit code ${exitCode}, and no failed test`)])
    : counts;

const list = (title, tests) =>
  tests.length === 0 ? [] : [`${title}:`, ...tests.map(({ test, reason }) => `  ${test}: ${reason}`), ''];

/**
 * The last lines of a tier. Failures stand right before the last one, so that a log that has lost its beginning
 * still names them; the last one is what CI reads.
 */
export const closingLines = ({ passed, failed, flaky, skipped }) => [
  ...list('Skipped', skipped),
  ...list('Passed at the second try', flaky),
  ...list('Failed', failed),
  `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
];
