import { isDeep } from '../../support/effort.ts';

async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** How many times as large the larger of the two sizes is. */
const factor = 8;

/**
 * What grows with the size takes 8 times as long, and up to four times that: what a small piece makes is gone before the
 * collector looks, and lies in the processor's caches. Where each part is held against each other it is 64 times.
 */
export const mostGrowth = 40;

/** Collecting is done by threads of this process too, and on a busy machine some rounds have more of it than others. */
const mostRounds = 9;

/**
 * How many times as long `work` takes with what `prepare` makes of `size` (a quarter of it outside `npm run test:deep`) as
 * with an eighth of that: the least of some rounds, of no more than it takes to get below `most`. It does not depend on how fast or how busy the machine is, as a limit in
 * seconds would.
 */
export async function growth<Input>(
  prepare: (size: number) => Input | Promise<Input>,
  work: (input: Input) => unknown,
  size: number,
  most = mostGrowth,
): Promise<number> {
  const largest = isDeep ? size : Math.ceil(size / 4);
  const [small, large] = [await prepare(Math.ceil(largest / factor)), await prepare(largest)];
  // The first is slower: nothing is compiled yet.
  await work(small);
  // Where the machine becomes busy between the two, the larger one seems longer than it is.
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostRounds && least >= most; round += 1) {
    // As much of it as the larger one has, so that collecting what was made costs both alike.
    const all = await timeOf(async () => {
      for (let time = 0; time < factor; time += 1) await work(small);
    });
    least = Math.min(least, (factor * (await timeOf(() => work(large)))) / all);
  }
  return least;
}
