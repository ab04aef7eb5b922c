/** Causes that the document shows, whatever the timing: races, data that is copied again, and host memory between devices. */

import { operationCount } from '../../experiment/edit/paths.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { mostNoted, withRaces } from '../hazards/races.ts';
import type { Cause, Verdict } from '../verdicts/verdict.ts';
import { repeatedCopies } from './copyOnce.ts';
import { peerCopies, relays } from './whole.ts';

/** Causes that stay: each round of a loop of small copies may stand for other blocks. */
const kept: ReadonlySet<Cause> = new Set(['race', 'overlapped', 'many-small-copies']);

/** Returns the verdicts with these causes instead of those that timing suggests. */
export function byDocument(verdicts: readonly Verdict[], experiment: Experiment | null): readonly Verdict[] {
  if (experiment === null || operationCount(experiment) > mostNoted) return verdicts;
  let words: (verdict: Verdict) => Pick<Verdict, 'cause' | 'title' | 'explanation' | 'remedy'> | null;
  try {
    const repeated = new Map(repeatedCopies(experiment).flatMap((all) => all.map((one) => [one.op, all] as const)));
    const relayed = relays(experiment);
    const isPeered = experiment.environment.peerAccess;
    const staged = new Set(isPeered ? [] : peerCopies(experiment).map(({ operation }) => operation.id));
    words = ({ op, id, occurrences }) => {
      const again = repeated.get(op);
      if (again !== undefined) {
        const times = again.length > 1 ? again.length : occurrences;
        return {
          cause: 'copied-again',
          title: 'Unchanged data copied again',
          explanation: `"${again[0].operation.src}" is copied ${times} times to the same place, and nothing changes the data in between.`,
          remedy: 'Copy it once, before its first use.',
        };
      }
      if (id === null || !(relayed.has(id) || staged.has(id))) return null;
      return {
        cause: 'through-host',
        title: 'Through host memory from device to device',
        explanation: relayed.has(id)
          ? 'The data crosses the link twice: down into host memory that nothing else uses, and up again.'
          : 'Peer access is off, so the driver takes the data through host memory.',
        remedy: 'Copy from device to device, with peer access if there are two.',
      };
    };
  } catch {
    // The experiment in a run file may be one that can't be lowered.
    return verdicts;
  }
  return withRaces(verdicts, experiment).map((verdict) => {
    const isJudged = verdict.subject === 'copy' && !kept.has(verdict.cause) && verdict.costNs > 0;
    const told = isJudged ? words(verdict) : null;
    if (told === null) return verdict;
    return { ...verdict, ...told, also: [verdict.cause, ...verdict.also] };
  });
}
