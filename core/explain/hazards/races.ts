/** Verdicts on copies whose data a hazard makes wrong: however well they overlap, that comes first. */
import { operationCount } from '../../experiment/edit/paths.ts';
import { type Experiment, eachOperation } from '../../experiment/experiment.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import type { Hazard, HazardKind } from './hazard.ts';
import { hazardsOf, repairOf } from './repair.ts';

/** Longer programs aren't checked while somebody waits for the run. */
export const mostNoted = 20_000;

/** Limit of hazards whose repair is looked for. */
const mostTried = 4;

/** Hazards that make no data wrong. */
const harmless: ReadonlySet<HazardKind> = new Set(['timing-unsynchronised', 'endless-wait']);

/** Returns the verdicts with a race as the cause if a hazard names the copy, or memory of it that is freed too early. */
export function withRaces(verdicts: readonly Verdict[], experiment: Experiment | null): readonly Verdict[] {
  const all = experiment === null ? [] : notedHazards(experiment);
  const hazards = all.filter(({ kind }) => !harmless.has(kind));
  if (experiment === null || hazards.length === 0) return verdicts;
  const buffers = new Map<string, readonly string[]>();
  for (const { operations } of experiment.threads) {
    eachOperation(operations, (one) => {
      const touched = touchedBuffers(one);
      if (touched !== null) buffers.set(one.id, [...touched.reads, ...touched.writes]);
    });
  }
  const told = new Map<Hazard, string>();
  const remedyOf = (hazard: Hazard): string => {
    const isTried = told.has(hazard) || told.size < mostTried;
    const change = isTried && !told.has(hazard) ? repairOf(experiment, all.indexOf(hazard)) : null;
    const remedy = told.get(hazard) ?? change?.steps.join(' ') ?? hazard.remedy;
    if (isTried) told.set(hazard, remedy);
    return remedy;
  };
  return verdicts.map((verdict): Verdict => {
    const { op, id, subject } = verdict;
    const names = ({ first, second }: Hazard): boolean => first.op === op || second.op === op;
    const frees = ({ rule, buffer }: Hazard): boolean =>
      /^(record-stream|stream-ordered-allocation)$/.test(rule) &&
      buffers.get(id ?? '')?.includes(buffer ?? '') === true;
    const hazard = subject === 'copy' ? (hazards.find(names) ?? hazards.find(frees)) : undefined;
    if (hazard === undefined) return verdict;
    const { rule, title, explanation, missing } = hazard;
    const remedy = remedyOf(hazard);
    const also = verdict.cause === 'overlapped' ? verdict.also : [verdict.cause, ...verdict.also];
    return {
      ...verdict,
      cause: 'race',
      also,
      rule,
      costNs: 0,
      title,
      explanation: `${explanation} ${missing}`,
      remedy,
    };
  });
}

function notedHazards(experiment: Experiment): readonly Hazard[] {
  try {
    return operationCount(experiment) > mostNoted ? [] : hazardsOf(experiment).hazards;
  } catch {
    // The experiment in a run file may be one that can't be lowered.
    return [];
  }
}

/** Returns a sentence about the hazards of a run's experiment; null without hazards, and for a trace. */
export function hazardNote(experiment: Experiment | null): string | null {
  if (experiment === null) return null;
  const count = operationCount(experiment);
  if (count > mostNoted)
    return `${count.toLocaleString('en')} operations weren't checked for hazards: use copyscope check.`;
  const hazards = notedHazards(experiment);
  const [first] = hazards;
  if (first === undefined) return null;
  const number = hazards.length === 1 ? '1 hazard' : `${hazards.length} hazards, the first`;
  return `copyscope check finds ${number}: ${first.title} ("${first.second.label}"). Results may be wrong, however well copies overlap.`;
}
