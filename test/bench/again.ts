/**
 * How far two recordings of the same experiments on one machine are from each other, which is what a prediction can't be
 * expected to better: node test/bench/run.mjs again FIRST SECOND, two folders of runs. The figures are those of accuracy.
 */
import { errorsOf } from '../../core/calibrate/fit/errorTerms.ts';
import { readSet } from './support/recordedSets.ts';

const [first, second] = process.argv.slice(2);
if (first === undefined || second === undefined) throw new Error('usage: again FIRST SECOND');
const others = new Map(readSet(second).map((run) => [run.id, run]));
const both = readSet(first).flatMap((run) => {
  const predicted = others.get(run.id);
  return predicted === undefined ? [] : { ...run, predicted };
});
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const apart = both.filter(({ makespanNs, predicted }) => Math.abs(predicted.makespanNs / makespanNs - 1) > 0.05);
for (const { id, makespanNs, predicted } of apart) {
  console.log(
    `${id.padEnd(40)} ${(makespanNs / 1000).toFixed(1)} µs, then ${(predicted.makespanNs / 1000).toFixed(1)}`,
  );
}
const { median, high, overlaps, close } = errorsOf(both);
console.log(
  `${both.length} recorded twice: makespans differ by ${percent(median)} in the median, 90th percentile ${percent(high)}; overlap within 5 points in ${close} of ${overlaps}`,
);
