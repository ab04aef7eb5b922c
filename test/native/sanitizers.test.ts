/** The executor's own tests, built with AddressSanitizer and ThreadSanitizer. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { longestMs, missingTools, oncePerBuild, type Ran, ran, sanitized } from './built.ts';

const missing = missingTools();
const supported = process.platform === 'linux' && missing.length === 0;
const reason = missing.length > 0 ? `there is no ${missing.join(' and no ')}` : `not run on ${process.platform}`;
const program = 'copyscope_executor_tests';

/** ThreadSanitizer needs its addresses where some kernels' randomisation won't leave them. */
function runTests(path: string): Ran {
  const plain = ran(path, []);
  const collided = plain.status !== 0 && plain.output.includes('unexpected memory mapping');
  return collided ? ran('setarch', ['-R', path]) : plain;
}

describe.skipIf(!supported)(supported ? 'the executor' : `the executor (skipped: ${reason})`, () => {
  test.each(['address', 'thread'] as const)(
    'passes its tests under the %s sanitizer',
    (sanitizer) => {
      const folder = sanitized('executor', sanitizer, [program]);
      // They take a minute and a half of the processor, and only native/ and the compiler can change how they end.
      oncePerBuild(folder, 'passed', () => {
        const { status, output } = runTests(join(folder, program));
        expect(output).toMatch(/^\d+ passed, 0 failed$/m);
        expect(status, output).toBe(0);
      });
    },
    2 * longestMs,
  );
});
