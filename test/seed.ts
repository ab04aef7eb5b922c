/**
 * Sets the seed of random examples: different in each run, but fixed if COPYSCOPE_TEST_SEED is set. CI sets it, so that
 * no change is delayed by a random find elsewhere.
 */
import { env } from 'node:process';
import { configureGlobal } from 'fast-check';
import { runs } from './support/effort.ts';

const seed = env['COPYSCOPE_TEST_SEED'];
// fast-check draws 100 examples by default.
configureGlobal({ numRuns: runs(100), ...(seed === undefined ? {} : { seed: Number(seed) }) });
