/**
 * Holds the open document in a worker and computes lanes, summary, hazards and remedies from it, all from one lowered
 * program and one simulation. All work runs in steps that take turns, so that a long search delays no lanes.
 */
import '../common/zodSetup.ts';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { programText } from '../../core/experiment/experiment.ts';
import { withEvidence } from '../../core/explain/hazards/evidence.ts';
import type { HazardReport } from '../../core/explain/hazards/hazard.ts';
import { hazardsInSteps, repairOf } from '../../core/explain/hazards/repair.ts';
import { type PlannedChanges, planInSteps } from '../../core/explain/remedies/plan.ts';
import { type Prediction, predict, predicted } from '../../core/explain/remedies/predict.ts';
import { testedInSteps } from '../../core/explain/remedies/remedies.ts';
import { predictedIntervals } from '../../core/explain/summary/predictedIntervals.ts';
import { summarizeInSteps } from '../../core/explain/summary/summary.ts';
import { windowSummary } from '../../core/explain/summary/windowSummary.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import { machineOf } from '../../core/machine/cost/machineOf.ts';
import { shownBy } from '../../core/machine/cost/runCosts.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import { lowerToSimulate, lowerUnverified } from '../../core/program/lower.ts';
import type { InSteps } from '../../core/steps.ts';
import type { Run } from '../../core/trace/run.ts';
import { inTurns } from '../common/scheduling.ts';
import { receivedDocument } from '../common/sentDocument.ts';
import { serveCalls } from '../common/workerCalls.ts';
import { summaryOptions } from '../store/attainable.ts';
import type { CheckedRun, DocumentCalls, DocumentEvents, RemedyAnswer, RemedyQuestion } from './documentCalls.ts';
import { predictInSteps } from './predict.ts';

interface Simulated {
  readonly experiment: Experiment;
  readonly run: Run;
  readonly profile: DeviceProfile;
  /** Null until it is summarized. */
  readonly verdicts: readonly Verdict[] | null;
}

let document: Experiment | null = null;
let profile: DeviceProfile | null = null;
/** The last simulation, made here or in the window. */
let simulated: Simulated | null = null;
/** The window takes about ten milliseconds to read this number of verdicts. */
const verdictsAtOnce = 2000;

/** Counters: a higher value cancels the lanes or searches that began before. */
let [lanesAsked, searchesDropped] = [0, 0];

function held(): Experiment {
  if (document !== null) return document;
  throw new CopyscopeError({ code: 'document.missing', message: 'No document was received.' });
}

function given(): DeviceProfile {
  if (profile !== null) return profile;
  throw new CopyscopeError({ code: 'profile.missing', message: 'No device profile was received.' });
}

function whileNewest<Result, Step>(work: InSteps<Result, Step>, onStep?: (step: Step) => void): Promise<Result | null> {
  const mine = lanesAsked;
  return inTurns(work, () => lanesAsked === mine, onStep);
}

function untilDropped<Result>(work: InSteps<Result>): Promise<Result | null> {
  const mine = searchesDropped;
  return inTurns(work, () => searchesDropped === mine);
}

const progressMs = 100;

/** Reports progress of a prediction to the window, often enough that a bar moves. */
function teller(key: string): (progress: SimulationProgress | undefined) => void {
  let told = performance.now();
  return (progress) => {
    if (progress === undefined || performance.now() - told < progressMs) return;
    told = performance.now();
    void events.progress.asEvent(key, progress);
  };
}

const calls: DocumentCalls = {
  take: (sent) => {
    document = receivedDocument(document, sent);
  },
  use: (given) => {
    profile = given;
  },
  dropLanes: () => {
    lanesAsked += 1;
  },
  dropSearches: () => {
    searchesDropped += 1;
  },
  async predict(key, version) {
    const [experiment, used] = [held(), given()];
    lanesAsked += 1;
    const made = await whileNewest(predictInSteps(experiment, used, version), teller(key));
    if (made === null) return null;
    const { run, iteration, counters } = made;
    simulated = { experiment, run, profile: used, verdicts: null };
    const { experiment: _, ...info } = run.info;
    return { info, trace: run.trace, iteration, counters };
  },
  async summarize(lanes) {
    if (lanes !== null) {
      const experiment = held();
      lanesAsked += 1;
      const run = { info: { ...lanes.info, experiment }, trace: lanes.trace };
      simulated = { experiment, run, profile: given(), verdicts: null };
    }
    if (simulated === null) return null;
    const made = simulated;
    const summary = await whileNewest(summarizeInSteps(made.run, summaryOptions(made.profile)));
    if (summary === null) return null;
    const whole = windowSummary(summary);
    const { verdicts } = whole;
    simulated = { ...made, verdicts };
    return { ...whole, verdicts: verdicts.slice(0, verdictsAtOnce), verdictCount: verdicts.length };
  },
  moreVerdicts: (from) => simulated?.verdicts?.slice(from, from + verdictsAtOnce) ?? [],
  async intervals() {
    if (simulated === null) return null;
    const { experiment, run, profile: used } = simulated;
    return whileNewest(predictedIntervals(run, lowerToSimulate(experiment), used));
  },
  hazards: (run) => untilDropped(found(held(), run)),
  repair: (hazard) => repairOf(held(), hazard),
  remedy: (question) => untilDropped(answered(held(), given(), question)),
  plan: () => untilDropped(planned(held(), given())),
};

const events = serveCalls<DocumentEvents>(calls);

/** Finds hazards; none in a document that can't be lowered, whose problem the window shows elsewhere. */
function* found(experiment: Experiment, run: CheckedRun | null): InSteps<HazardReport> {
  try {
    const report = yield* hazardsInSteps(experiment);
    const isSame = run !== null && programText(run.experiment) === programText(experiment);
    return isSame ? withEvidence(report, lowerUnverified(experiment), run.verification) : report;
  } catch {
    return { hazards: [], limits: [] };
  }
}

function* answered(
  experiment: Experiment,
  used: DeviceProfile,
  { verdict, shown, run }: RemedyQuestion,
): InSteps<RemedyAnswer> {
  const read = run === null ? null : shownBy({ ...run, info: { ...run.info, experiment } }, used);
  const known = read ?? shown ?? new Map();
  const machine = machineOf(used, known);
  const before = (known.size === 0 ? lastPrediction(experiment, used) : null) ?? predict(experiment, machine);
  yield;
  const [remedy = null] = before === null ? [] : yield* testedInSteps(before, [verdict], machine);
  return { remedy, shown: read };
}

function* planned(experiment: Experiment, used: DeviceProfile): InSteps<readonly PlannedChanges[]> {
  const machine = machineOf(used);
  const before = lastPrediction(experiment, used) ?? predict(experiment, machine);
  yield;
  return before === null ? [] : yield* planInSteps(before, machine);
}

/** Returns the simulation that the lanes show, or null if it was of another document or profile. */
function lastPrediction(experiment: Experiment, used: DeviceProfile): Prediction | null {
  if (simulated?.experiment !== experiment || simulated.profile.name !== used.name) return null;
  return simulated.verdicts === null ? null : predicted(simulated.run, experiment, simulated.verdicts);
}
