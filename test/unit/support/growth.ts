/** Processor time of this process during `work`, in microseconds: what others do on the machine is not in it. */
export function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** How many times as large the larger of the two sizes is. */
const factor = 8;

/**
 * What grows with the size takes 8 times as long and somewhat more, for sorting and collecting; where each part is held
 * against each other it is 64 times.
 */
export const mostGrowth = 22;

/**
 * How many times as long `work` takes with what `prepare` makes of `size` as with an eighth of it. It does not depend on
 * how fast or how busy the machine is, as a limit in seconds would.
 */
export function growth<Input>(prepare: (size: number) => Input, work: (input: Input) => void, size: number): number {
  const [small, large] = [prepare(size / factor), prepare(size)];
  // The first is slower: nothing is compiled yet.
  work(small);
  const least = Math.min(...[1, 2, 3].map(() => processorTime(() => work(small))));
  return processorTime(() => work(large)) / least;
}
