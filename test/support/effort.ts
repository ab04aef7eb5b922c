/** Share of random examples for properties; `npm run test:deep` sets COPYSCOPE_TEST_EFFORT to 1. */
import { env } from 'node:process';

const share = Number(env['COPYSCOPE_TEST_EFFORT'] ?? 0.1);
if (!(share > 0))
  throw new Error(`COPYSCOPE_TEST_EFFORT is ${env['COPYSCOPE_TEST_EFFORT']}: it must be a number above 0.`);

/** Returns the number of examples to draw now, of `all`; at least five, to find broken properties at once. */
export const runs = (all: number): number => Math.max(Math.min(5, all), Math.ceil(all * share));
