/**
 * Properties are tested with random examples: others in each run, but the same ones where COPYSCOPE_TEST_SEED is set.
 * CI sets it, so that no change is held up by what a lucky draw finds elsewhere.
 */
import { env } from 'node:process';
import { configureGlobal } from 'fast-check';
import { runs } from './support/effort.ts';

const seed = env['COPYSCOPE_TEST_SEED'];
// Where a property says nothing else, fast-check draws 100 examples.
configureGlobal({ numRuns: runs(100), ...(seed === undefined ? {} : { seed: Number(seed) }) });
