/**
 * Decides whether two runs differ by more than their iterations do.
 *
 *   strays       values farther from the median than 5 standard deviations, estimated from the median absolute deviation
 *                (1.4826 times it; at least 1 % of the median): at most one of every four values, the farthest first
 *   spread       of the n values without strays: from the k-th smallest to the k-th largest, k = ceil(n / 10). For up to
 *                ten values that is all of them; for more, a tenth at each end is left out.
 *   larger       the two spreads have no common value
 *   chance       how often the spreads of two samples of one distribution would have no common value. Every order of the
 *                n + m values is equally likely then, so it is a count of orders:
 *                2 · Σ over i < k(m) of C(n - k(n) + i, i) · C(k(n) - 1 + m - i, m - i) / C(n + m, n)
 *   `undecided`     that chance is above 5 %: with so few iterations, even separate spreads show nothing. Runs of 4 and 4
 *                iterations can be distinguished, those of 3 and 3 can't.
 *
 * A simulated run has one value and no spread. It differs from a measured run if its value lies outside the other's
 * spread; the chance is that a spread misses the median of its distribution: 2 · P(Binomial(m, ½) < k). Two simulated
 * runs differ if their values do.
 */
import { median, middleOf } from '../../statistics.ts';

/** Values of one quantity, one for each iteration that has it. */
export interface Sample {
  /** In ascending order, at least one. */
  readonly values: Float64Array;
  /** Whether it is simulated, so that it is the same each time. */
  readonly exact: boolean;
}

/** Nanoseconds. */
export interface Spread {
  readonly median: number;
  /** Ends of the spread, as defined above; both are the median if the sample is exact. */
  readonly low: number;
  readonly high: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** equal: no difference. larger or within: compared with the spread. `undecided`: too few iterations. */
export type Judgement = 'equal' | 'larger' | 'within' | 'undecided';

const mostChance = 0.05;

/** Returns null if there are no values. They may be in any order. */
export function sampleOf(values: Iterable<number>, exact: boolean): Sample | null {
  const sorted = Float64Array.from(values).sort();
  return sorted.length === 0 ? null : { values: sorted, exact };
}

const cutOf = (count: number): number => Math.ceil(count / 10);

const strayDeviations = 5;
/** Standard deviations of a normal distribution in one median absolute deviation. */
const deviationsInMad = 1.4826;

/** Returns the values without strays, in ascending order. */
function usual(values: Float64Array): Float64Array {
  const middle = middleOf(values);
  const mad = median(Array.from(values, (value) => Math.abs(value - middle)));
  const most = strayDeviations * Math.max(deviationsInMad * mad, 0.01 * Math.abs(middle));
  let [from, to] = [0, values.length];
  for (let left = Math.floor(values.length / 4); left > 0; left -= 1) {
    const [below, above] = [middle - (values[from] ?? middle), (values[to - 1] ?? middle) - middle];
    if (Math.max(below, above) <= most) break;
    if (below > above) from += 1;
    else to -= 1;
  }
  return values.subarray(from, to);
}

export function spreadOf({ values, exact }: Sample): Spread {
  const count = values.length;
  const at = (index: number): number => values[index] ?? 0;
  const middle = middleOf(values);
  const own = usual(values);
  const cut = cutOf(own.length);
  const [low, high] = exact ? [middle, middle] : [own[cut - 1] ?? 0, own[own.length - cut] ?? 0];
  return { median: middle, low, high, min: at(0), max: at(count - 1), count };
}

export function judge(a: Sample, b: Sample): Judgement {
  const [first, second] = [spreadOf(a), spreadOf(b)];
  if (first.median === second.median) return 'equal';
  if (chanceOfApart(a, b) > mostChance) return 'undecided';
  return first.high < second.low || second.high < first.low ? 'larger' : 'within';
}

/** Returns the chance that the spreads of two such samples have no common value although nothing differs. */
export function chanceOfApart(a: Sample, b: Sample): number {
  const [n, m] = [usual(a.values).length, usual(b.values).length];
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

/** Extended up to the largest number needed so far. */
const logFactorials = [0];

function logFactorial(number: number): number {
  for (let next = logFactorials.length; next <= number; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[number] ?? 0;
}

const logChoose = (from: number, many: number): number =>
  logFactorial(from) - logFactorial(many) - logFactorial(from - many);
