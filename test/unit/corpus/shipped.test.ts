/**
 * The profile that ships predicts the corpus that it was fitted to within the targets of docs/accuracy.md: a rule or a number
 * that is changed without the other shows here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fitErrors } from '../../../core/calibrate/fit/errorTerms.ts';
import { recordedRun } from '../../../core/calibrate/fit/recordedRun.ts';
import { parseProfile } from '../../../core/simulator/profile.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'test/fixtures/corpus');

it('h200 predicts the recorded corpus within its targets', () => {
  const profile = parseProfile(JSON.parse(readFileSync(join(root, 'assets/profiles/h200.json'), 'utf8')));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.arrow'));
  const runs = files.map((file) => recordedRun(file, decodeRun(readFileSync(join(folder, file)))));
  const { median, high, close, overlaps } = fitErrors(runs, profile);
  expect(runs.length).toBeGreaterThanOrEqual(60);
  expect(median).toBeLessThan(0.05);
  expect(high).toBeLessThan(0.15);
  expect(close).toBeGreaterThanOrEqual(0.9 * overlaps);
}, 60_000);
