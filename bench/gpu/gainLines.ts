/** Lines that gains.ts prints. */
import { type Gain, mostError } from './gain.ts';

const us = (ns: number): string => `${(ns / 1000).toFixed(1)} us`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const limit = `at most ${mostError * 100} %`;

/** Returns the line of a gain: cause seen and removed; gain predicted, measured and recorded; error; whether it held. */
export function gainLine(experiment: string, gain: Gain): string {
  const { label, cause, seen, removed, after, remedyOf, held } = gain;
  const sight = seen === cause ? 'seen' : `NOT SEEN (${seen ?? 'no verdict'})`;
  const words = [
    removed === null ? 'nothing takes it away' : removed ? `removed (${after ?? 'no verdict'})` : 'NOT REMOVED',
    ...(remedyOf === 'simulation' ? ['by the remedy of the simulation'] : []),
  ];
  return `${experiment}, ${label}: ${cause} ${sight}, ${words.join(' ')}${figures(gain)} ${held ? 'held' : 'NOT HELD'}`;
}

function figures({ gain, error, errorOfMakespan, predicted, measured }: Gain): string {
  if (gain === null || predicted === null || measured.after === null || error === null) return ';';
  const { before, after } = measured;
  const rounds = `${us(gain.leastNs)} to ${us(gain.mostNs)} by round`;
  return [
    `; gain ${us(gain.predictedNs)} predicted, ${us(gain.measuredNs)} measured (${rounds}; ${us(gain.recordedNs)} recorded)`,
    `; makespan ${us(predicted.beforeNs)} to ${us(predicted.afterNs)} predicted`,
    `, ${us(before.plainNs.median)} to ${us(after.plainNs.median)} measured`,
    `; error ${percent(error)} (${limit}), ${percent(errorOfMakespan ?? 0)} of the makespan`,
  ].join('');
}

export const measuringRule =
  'Gains are measured with recording off, between medians, before and after in turn; of predicted and measured gains the medians of the rounds.';

interface Result {
  readonly experiment: string;
  readonly gains: readonly Gain[];
}

/** Returns whether it is an example of a cause. The others, of races and of overlap, have another purpose. */
export const isExample = (experiment: string): boolean => experiment.startsWith('verdicts/');

/** Returns causes with an example that fully holds, then counts over the examples of causes, and over the others. */
export function gainSummary(results: readonly Result[]): string[] {
  const of = (some: readonly Result[]): Gain[] => some.flatMap(({ gains }) => gains);
  const examples = of(results.filter(({ experiment }) => isExample(experiment)));
  const others = of(results.filter(({ experiment }) => !isExample(experiment)));
  const causes = [...new Set(examples.map(({ cause }) => cause))];
  const without = (test: (gain: Gain) => boolean): string => {
    const missing = causes.filter((cause) => !examples.some((gain) => gain.cause === cause && test(gain)));
    return `${causes.length - missing.length} of ${causes.length}${missing.length === 0 ? '' : `, not ${missing.join(', ')}`}`;
  };
  return [
    `Causes seen: ${without(({ cause, seen }) => cause === seen)}`,
    `Causes with an example that holds in all: ${without(({ held }) => held)}`,
    ...counts('Examples of causes', examples),
    ...(others.length === 0 ? [] : counts('Other experiments (overlap, races)', others)),
  ];
}

function counts(name: string, gains: readonly Gain[]): string[] {
  const withGain = gains.filter(({ error }) => error !== null);
  const count = (of: readonly Gain[], test: (gain: Gain) => boolean): string =>
    `${of.filter(test).length} of ${of.length}`;
  return [
    `${name}: verdicts seen ${count(gains, ({ cause, seen }) => cause === seen)}`,
    `${name}: remedies that take the cause away ${count(withGain, ({ removed }) => removed === true)}`,
    `${name}: gains within 10 % of the measured ${count(withGain, ({ error }) => Math.abs(error ?? 1) <= mostError)}`,
    `${name}: verdicts that hold in all ${count(gains, ({ held }) => held)}`,
  ];
}
