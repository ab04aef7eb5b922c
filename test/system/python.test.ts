/** The Python package, with the system's own Python: its tests are in test/python. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { longestMs } from '../native/built.ts';
import { buildRecorder, noRecorder, standInEnvironment, works } from '../support/recorder.ts';

const folder = fileURLToPath(new URL('../python', import.meta.url));
const modules = readdirSync(folder).filter((name) => /^test_.*\.py$/.test(name));
const missing = noRecorder ?? (works('python3') ? null : 'there is no python3');

describe.skipIf(missing !== null)(`the Python package${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let environment: NodeJS.ProcessEnv;
  beforeAll(() => {
    environment = { ...process.env, ...standInEnvironment(buildRecorder()) };
  }, longestMs);

  it.each(modules)(
    'passes %s',
    async (name) => {
      const tests = spawn('python3', ['-m', 'unittest', name.replace(/\.py$/, '')], { cwd: folder, env: environment });
      let words = '';
      tests.stderr.setEncoding('utf8').on('data', (text: string) => {
        words += text;
      });
      const [code] = await once(tests, 'close');
      expect(code, words).toBe(0);
    },
    longestMs,
  );
});
