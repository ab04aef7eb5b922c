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
const factor = 16;

/**
 * What grows with the size takes 16 times as long and somewhat more, for sorting, and since less of it lies in the
 * processor's caches; where each part is held against each other it is 256 times.
 */
export const mostGrowth = 64;

/**
 * How many times as long `work` takes with what `prepare` makes of `size` as with a sixteenth of it. It does not depend on
 * how fast or how busy the machine is, as a limit in seconds would.
 */
export async function growth<Input>(
  prepare: (size: number) => Input | Promise<Input>,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const [small, large] = [await prepare(size / factor), await prepare(size)];
  // The first is slower: nothing is compiled yet.
  await work(small);
  // A collection falls into either of two short pieces, and makes it several times as long.
  const times = Math.ceil(leastMicroseconds / Math.max(1, await timeOf(() => work(large))));
  const repeated = (input: Input, count: number): Promise<number> =>
    timeOf(async () => {
      for (let time = 0; time < count; time += 1) await work(input);
    });
  // Where the machine becomes busy between the two, the larger one seems longer than it is.
  const ratios: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    // As much of it as the larger one has, so that collecting what was made costs both alike.
    const all = await repeated(small, factor * times);
    ratios.push((factor * (await repeated(large, times))) / all);
  }
  return Math.min(...ratios);
}
