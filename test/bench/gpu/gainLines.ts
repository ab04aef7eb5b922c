/** What gains.ts prints. */
import { type Gain, mostError } from './gain.ts';

const us = (ns: number): string => `${(ns / 1000).toFixed(1)} us`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const limit = `at most ${mostError * 100} %`;

/** As "verdicts/same-stream, upload: same-stream seen, removed; gain 605.9 us predicted, 600.2 us measured, error 0.9 % (at most 10 %) held". */
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
  const plain = gain.plainNs === null ? '' : `, ${us(gain.plainNs)} with recording off`;
  return [
    `; gain ${us(gain.predictedNs)} predicted, ${us(gain.measuredNs)} measured${plain}`,
    `; makespan ${us(predicted.beforeNs)} to ${us(predicted.afterNs)} predicted`,
    `, ${us(before.makespanNs.median)} to ${us(after.makespanNs.median)} measured`,
    `; error ${percent(error)} (${limit}), ${percent(errorOfMakespan ?? 0)} of the makespan`,
  ].join('');
}

interface Result {
  readonly experiment: string;
  readonly gains: readonly Gain[];
}

/** Counts over all, and the causes that no experiment showed. */
export function gainSummary(results: readonly Result[]): string[] {
  const gains = results.flatMap((result) => result.gains);
  const withGain = gains.filter(({ error }) => error !== null);
  const count = (of: readonly Gain[], test: (gain: Gain) => boolean): string =>
    `${of.filter(test).length} of ${of.length}`;
  const causes = [...new Set(gains.map(({ cause }) => cause))];
  const missing = causes.filter((cause) => !gains.some((gain) => gain.cause === cause && gain.seen === cause));
  return [
    `Causes seen: ${causes.length - missing.length} of ${causes.length}${missing.length === 0 ? '' : `, not ${missing.join(', ')}`}`,
    `Verdicts seen: ${count(gains, ({ cause, seen }) => cause === seen)}`,
    `Remedies that take the cause away: ${count(withGain, ({ removed }) => removed === true)}`,
    `Gains within 10 % of the measured: ${count(withGain, ({ error }) => Math.abs(error ?? 1) <= mostError)}`,
    `Verdicts that hold in all: ${count(gains, ({ held }) => held)}`,
  ];
}
