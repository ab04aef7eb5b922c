import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { capabilityGaps } from '../../core/program/capabilities.ts';
import { engineKinds } from '../../core/program/engineKind.ts';
import { lower } from '../../core/program/lower.ts';

const folder = join(import.meta.dirname, '../../assets/examples');
// Those of lessons are simulated in lessons/statements.test.ts; some need features that not every engine has.
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.json') && !file.startsWith('lessons'),
);

/** Examples of shared multiprocessors, which host memory doesn't have. */
const notOnCpu = new Set(['verdicts/multiprocessors-full.json']);

it.each(files)('the example %s is valid, runs on every engine that can and is verifiable to the last byte', (file) => {
  const experiment = requireExperiment(readFileSync(join(folder, file), 'utf8'));
  for (const engine of engineKinds) {
    const refused = engine === 'cpu' && notOnCpu.has(file);
    expect(capabilityGaps(experiment, engine).length > 0).toBe(refused);
  }
  const program = lower(experiment);
  // Memory that one operation allocates and another frees is gone at the end.
  const verified = program.buffers.filter((_, buffer) => !program.unverifiable.some((one) => one.buffer === buffer));
  expect(program.unverifiable.filter(({ reason }) => reason !== 'it is freed before the end')).toEqual([]);
  const written = verified.filter((buffer) => buffer.written).reduce((sum, buffer) => sum + buffer.bytes, 0);
  expect(program.expectations.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(written);
});
