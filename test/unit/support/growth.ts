import { isDeep } from '../../support/effort.ts';

async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Ratio of the two sizes. */
const factor = 8;

/**
 * Limit of the ratio of times. Linear work takes 8 times as long, and up to four times that, since small objects are
 * gone before a garbage collection and stay in the processor's caches. Quadratic work takes 64 times as long.
 */
export const mostGrowth = 40;

/** Garbage collection uses threads of this process too, and on a busy machine rounds differ in it. */
const mostRounds = 9;

/**
 * Returns how many times as long `work` takes with the input of `size` (a quarter of it outside `npm run test:deep`) as
 * with an eighth of that: the least of some rounds, which end at a ratio below `most`. Independent of the machine's
 * speed and load, unlike a limit in seconds.
 */
export async function growth<Input>(
  prepare: (size: number) => Input | Promise<Input>,
  work: (input: Input) => unknown,
  size: number,
  most = mostGrowth,
): Promise<number> {
  const largest = isDeep ? size : Math.ceil(size / 4);
  const [small, large] = [await prepare(Math.ceil(largest / factor)), await prepare(largest)];
  // The first round is slower, since nothing is compiled yet.
  await work(small);
  // If the machine becomes busy between the two, the larger one seems longer than it is.
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostRounds && least >= most; round += 1) {
    // The same amount as the larger one, so that both have the same cost of garbage collection.
    const all = await timeOf(async () => {
      for (let time = 0; time < factor; time += 1) await work(small);
    });
    least = Math.min(least, (factor * (await timeOf(() => work(large)))) / all);
  }
  return least;
}
