/**
 * Processor time of this process during `work`, in microseconds: what others do on the machine is not in it. It is the
 * least of three, since what collecting or a busy neighbour adds is hardly in all of them.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) times.push(await timeOf(work));
  return Math.min(...times);
}

async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Of processor time, for each of the two that are compared. */
const leastMicroseconds = 30_000;

/** How many times as large the larger of the two sizes is. */
const factor = 64;

/**
 * What grows with the size takes 64 times as long, and up to several times that: for sorting, and since what a small piece
 * makes is gone before the collector looks. Where each part is held against each other it is 4,096 times.
 */
export const mostGrowth = 512;

/**
 * How many times as long `work` takes with what `prepare` makes of `size` as with a sixty-fourth of it. It does not depend on
 * how fast or how busy the machine is, as a limit in seconds would.
 */
export async function growth<Input>(
  prepare: (size: number) => Input | Promise<Input>,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [small, large] = [await prepare(Math.round(size / factor)), await prepare(size)];
  // The first is slower: nothing is compiled yet.
  await work(small);
  // Where the machine becomes busy between the two, the larger one seems longer than it is: then it is asked again.
  const ratios: number[] = [];
  for (let round = 0; round < 2 || (round < 6 && Math.min(...ratios) > factor); round += 1) {
    // A collection falls into one of two short pieces, and makes it several times as long.
    let [times, ofLarge] = [0, 0];
    for (; ofLarge < leastMicroseconds; times += 1) ofLarge += await timeOf(() => work(large));
    // As much of the small one, so that collecting what was made costs both alike.
    const ofSmall = await timeOf(async () => {
      for (let time = 0; time < factor * times; time += 1) await work(small);
    });
    ratios.push((factor * ofLarge) / ofSmall);
  }
  return Math.min(...ratios);
}
