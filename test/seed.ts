/**
 * Sets the seed of random examples: different in each run, but fixed if COPYSCOPE_TEST_SEED is set. CI sets it, so that
 * no change is delayed by a random find elsewhere. Deletes the folders that tests make.
 */
import { env } from 'node:process';
import { configureGlobal } from 'fast-check';
import { runs } from './support/effort.ts';
import { deleteFoldersAtEnd } from './support/newFolder.ts';

const seed = env['COPYSCOPE_TEST_SEED'];
// fast-check draws 100 examples by default.
configureGlobal({ numRuns: runs(100), ...(seed === undefined ? {} : { seed: Number(seed) }) });
deleteFoldersAtEnd();
