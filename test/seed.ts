/**
 * Properties are tested with random examples: others in each run, but the same ones where COPYSCOPE_TEST_SEED is set.
 * CI sets it, so that no change is held up by what a lucky draw finds elsewhere.
 */
import { env } from 'node:process';

const seed = env['COPYSCOPE_TEST_SEED'];
if (seed !== undefined) (await import('fast-check')).configureGlobal({ seed: Number(seed) });
