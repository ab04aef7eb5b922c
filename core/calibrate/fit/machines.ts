/**
 * What each run counts where runs are from several machines. Runs of one machine err together, so a machine counts more
 * the more runs it has, but never much more than another: n / (n + k) for n runs, the weight of a mean whose machines
 * differ by as much as k of its runs do among themselves (the random-effects weight of DerSimonian and Laird, 1986).
 */

const alike = 20;

/** One weight for each of `machines`, the name of each run's; their mean is 1. */
export function machineWeights(machines: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const machine of machines) counts.set(machine, (counts.get(machine) ?? 0) + 1);
  const weights = machines.map((machine) => 1 / ((counts.get(machine) ?? 1) + alike));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (weight * weights.length) / sum);
}
