/**
 * Whether two runs differ by more than their iterations do.
 *
 *   spread       of n values: from the k-th least to the k-th greatest, k = ceil(n / 10). Of up to ten values that is all
 *                of them; of more, a tenth at each end is left out, so that one stray iteration doesn't hide a difference.
 *   larger       the two spreads have no value in common
 *   chance       how often the spreads of two samples of one and the same distribution would have none in common. Every
 *                order of the n + m values is equally likely then, so it is a count of orders:
 *                2 · Σ over i < k(m) of C(n - k(n) + i, i) · C(k(n) - 1 + m - i, m - i) / C(n + m, n)
 *   untold       that chance is above 5 %: with as few iterations even spreads that stand apart say nothing. Runs of 4
 *                and 4 iterations can be told apart, those of 3 and 3 can't.
 *
 * A simulated run has one value and no spread. Beside a measured one, its value differs if it lies outside of the other's
 * spread, and the chance is that of a spread which misses the median of what it was drawn from: 2 · P(Binomial(m, ½) < k).
 * Two simulated runs differ wherever their values do.
 */
import { middleOf } from '../statistics.ts';

/** Values of one quantity, one for each iteration that has it. */
export interface Sample {
  /** In ascending order, at least one. */
  readonly values: Float64Array;
  /** Simulated: the same each time, by what it is. */
  readonly exact: boolean;
}

/** Nanoseconds. */
export interface Spread {
  readonly median: number;
  /** Ends of the spread, as defined above; both the median where the sample is exact. */
  readonly low: number;
  readonly high: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** equal: no difference. larger, within: than the spread. untold: too few iterations. */
export type Judgement = 'equal' | 'larger' | 'within' | 'untold';

const mostChance = 0.05;

/** Null for no values. They need no order. */
export function sampleOf(values: Iterable<number>, exact: boolean): Sample | null {
  const sorted = Float64Array.from(values).sort();
  return sorted.length === 0 ? null : { values: sorted, exact };
}

const cutOf = (count: number): number => Math.ceil(count / 10);

export function spreadOf({ values, exact }: Sample): Spread {
  const count = values.length;
  const at = (index: number): number => values[index] ?? 0;
  const median = middleOf(values);
  const cut = cutOf(count);
  const [low, high] = exact ? [median, median] : [at(cut - 1), at(count - cut)];
  return { median, low, high, min: at(0), max: at(count - 1), count };
}

export function judge(a: Sample, b: Sample): Judgement {
  const [first, second] = [spreadOf(a), spreadOf(b)];
  if (first.median === second.median) return 'equal';
  if (chanceOfApart(a, b) > mostChance) return 'untold';
  return first.high < second.low || second.high < first.low ? 'larger' : 'within';
}

/** How often the spreads of two samples like these would have no value in common by chance alone. */
export function chanceOfApart(a: Sample, b: Sample): number {
  const [n, m] = [a.values.length, b.values.length];
  if (a.exact && b.exact) return 0;
  if (a.exact) return chanceOfMiss(m);
  return b.exact ? chanceOfMiss(n) : chanceOfOrders(n, m);
}

function chanceOfOrders(n: number, m: number): number {
  const [cutN, cutM] = [cutOf(n), cutOf(m)];
  const all = logChoose(n + m, n);
  let sum = 0;
  for (let i = 0; i < cutM; i += 1) {
    sum += Math.exp(logChoose(n - cutN + i, i) + logChoose(cutN - 1 + m - i, m - i) - all);
  }
  return Math.min(1, 2 * sum);
}

function chanceOfMiss(count: number): number {
  let sum = 0;
  for (let i = 0; i < cutOf(count); i += 1) sum += Math.exp(logChoose(count, i) - count * Math.LN2);
  return Math.min(1, 2 * sum);
}

/** Of every number up to the last one asked for. */
const logFactorials = [0];

function logFactorial(number: number): number {
  for (let next = logFactorials.length; next <= number; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[number] ?? 0;
}

const logChoose = (from: number, many: number): number =>
  logFactorial(from) - logFactorial(many) - logFactorial(from - many);
