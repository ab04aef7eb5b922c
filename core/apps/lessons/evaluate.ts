/** Evaluates a lesson's step with runs: its task, its statements, and the answer to its question. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { DeviceProfile } from '../../machine/profile/profile.ts';
import type { Run, VerificationCheck } from '../../trace/run.ts';
import { type Check, type CheckResult, evaluateCheck } from './check.ts';
import { evaluateKept } from './keep.ts';
import { isChoice, type LessonStep } from './lesson.ts';
import { takeMeasure } from './measureRun.ts';
import { type Played, play, playedRun } from './played.ts';
import { comparedTo, startName } from './references.ts';

export interface StepRequest {
  readonly step: Pick<LessonStep, 'shown' | 'task' | 'holds' | 'question'>;
  /** Current experiment of the step; null if the step has no task. */
  readonly experiment: Experiment | null;
  /** The lesson's experiments by name, unchanged; at least those that the step needs. */
  readonly given: Readonly<Record<string, Experiment>>;
  /** Recorded runs of these experiments, if there are any. */
  readonly recorded: Readonly<Record<string, Run>>;
  readonly profile: DeviceProfile;
}

export interface StatementResult {
  readonly id: string;
  readonly says: string;
  /** Null if the statement isn't checked on this kind of run, or the run is missing. */
  readonly simulated: readonly CheckResult[] | null;
  readonly recorded: readonly CheckResult[] | null;
}

export interface StepResult {
  readonly task: readonly CheckResult[];
  readonly statements: readonly StatementResult[];
  /** Correct answer to a numeric question, by kind of run; null if there is no such question or the run lacks it. */
  readonly answer: { readonly simulated: number | null; readonly recorded: number | null };
  /** Checks that prove the right choice. */
  readonly proof: readonly StatementResult[];
  /** Data checks of the recorded run, if a statement of the step is about wrong bytes. */
  readonly data: readonly VerificationCheck[];
}

const asksForBytes = ({ checks }: LessonStep['holds'][number]): boolean =>
  checks.some((check) => 'measure' in check && check.measure.measure === 'wrong-bytes');

/** Returns the names of the experiments that a step needs. */
export function experimentsOf({ step }: Pick<StepRequest, 'step'>): string[] {
  const { question, task } = step;
  const checks = [
    ...(task?.checks ?? []),
    ...step.holds.flatMap((statement) => statement.checks),
    ...(question !== undefined && isChoice(question) ? question.proof : []),
  ];
  const shown = step.shown === null ? [] : [step.shown.name];
  return [...new Set([...shown, ...checks.flatMap(comparedTo).filter((name) => name !== startName)])];
}

/** Rejects if an experiment can't be executed. */
export async function evaluateStep(request: StepRequest): Promise<StepResult> {
  const { step, experiment, given, recorded, profile } = request;
  const simulated = new Map<string, Played>();
  const measured = new Map<string, Played>();
  for (const name of experimentsOf(request)) {
    const one = given[name];
    const run = recorded[name];
    if (one !== undefined) simulated.set(name, await play(one, profile));
    if (run !== undefined) measured.set(name, playedRun(run));
  }
  const shown = step.shown?.name ?? '';
  const held = (checks: readonly Check[], source: ReadonlyMap<string, Played>): CheckResult[] | null => {
    const played = source.get(shown);
    if (played === undefined || !checks.flatMap(comparedTo).every((name) => source.has(name))) return null;
    return checks.map((check) => evaluateCheck(check, played, source));
  };
  const both = (id: string, says: string, checks: readonly Check[], on: readonly string[]): StatementResult => ({
    id,
    says,
    simulated: on.includes('simulated') ? held(checks, simulated) : null,
    recorded: on.includes('recorded') ? held(checks, measured) : null,
  });
  const { question, task } = step;
  const start = simulated.get(shown);
  const answer = (played: Played | undefined): number | null =>
    played === undefined || question === undefined || isChoice(question) ? null : takeMeasure(played, question.answer);
  return {
    task: task === undefined || experiment === null || start === undefined ? [] : await taskResults(),
    statements: step.holds.map(({ id, says, checks, on }) => both(id, says, checks, on)),
    answer: { simulated: answer(start), recorded: answer(measured.get(shown)) },
    proof:
      question !== undefined && isChoice(question)
        ? question.proof.map((check, index) => both(String(index), check.says, [check], ['simulated', 'recorded']))
        : [],
    data: step.holds.some(asksForBytes) ? (recorded[shown]?.info.verification.checks ?? []) : [],
  };

  async function taskResults(): Promise<CheckResult[]> {
    if (task === undefined || experiment === null || start === undefined) return [];
    const now = await play(experiment, profile);
    const others = new Map([...simulated, [startName, start] as const]);
    return [
      ...task.checks.map((check) => evaluateCheck(check, now, others)),
      ...task.keep.map((name) => evaluateKept(name, start, now)),
    ];
  }
}

/** Returns whether a numeric answer counts as right: it differs from the truth at most by the factor `within`. */
export function isClose(answer: number, truth: number, within: number): boolean {
  if (truth === 0) return answer === 0;
  const ratio = answer / truth;
  return ratio > 0 && Math.max(ratio, 1 / ratio) <= within;
}
