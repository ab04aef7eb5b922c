/**
 * A bounded number of the fuzzer's inputs: about two minutes in CI (COPYSCOPE_TEST_EFFORT is 1), a tenth of that
 * locally. `node test/fuzz/run.mjs` runs for any time.
 */
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../support/effort.ts';
import { buildEntry } from '../unit/host/support/buildEntry.ts';
import { Fuzzer } from './fuzzer.ts';

/** Numbers chosen by the time of one input. Each kind is one test, so that its name says what broke. */
const inputs: Readonly<Record<string, number>> = {
  program: 3000,
  run: 10_000,
  'run structure': 20_000,
  pytorch: 2000,
  'pytorch gzipped': 1000,
  recording: 1000,
  nsight: 400,
  import: 800,
  bundle: 400,
  call: 1000,
  frame: 20_000,
};

const seed = Number(env['COPYSCOPE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const built = await buildEntry(fileURLToPath(new URL('worker.ts', import.meta.url)));
let fuzzer: Fuzzer;

describe(`wrong inputs of seed ${seed}`, () => {
  beforeAll(async () => {
    fuzzer = new Fuzzer(built);
  });
  afterAll(() => {
    fuzzer.close();
  });

  it.each(Object.entries(inputs))('reads inputs of %s as right, or refuses them in words', async (kind, count) => {
    const { taken, failures } = await fuzzer.run({ seed, kind, from: 0, to: runs(count) });
    const told = failures.map(
      ({ number, reason }) => `node test/fuzz/run.mjs --seed ${seed} --kind '${kind}' --number ${number}\n${reason}`,
    );
    expect(told.slice(0, 3).join('\n')).toBe('');
    // A kind of which no input is accepted tests only the first line of its reader.
    if (runs(count) >= 300) expect(taken).toBeGreaterThan(0);
  });
});
