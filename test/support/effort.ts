/** The share of random examples that properties are tested with; `npm run test:deep` sets COPYSCOPE_TEST_EFFORT to 1. */
import { env } from 'node:process';

const share = Number(env['COPYSCOPE_TEST_EFFORT'] ?? 0.1);
if (!(share > 0))
  throw new Error(`COPYSCOPE_TEST_EFFORT is ${env['COPYSCOPE_TEST_EFFORT']}: it must be a number above 0.`);

/** Of `all` examples those to draw now; at least five, so that a broken property is seen at once. */
export const runs = (all: number): number => Math.max(Math.min(5, all), Math.ceil(all * share));

/** Whether `npm run test:deep` runs, where sizes may take minutes. */
export const isDeep = share >= 1;
