/** Checks a run against rules. */

import { CopyscopeError } from '../../errors.ts';
import { difference } from '../../explain/compare/comparison.ts';
import { type Sample, sampleOf } from '../../explain/compare/spread.ts';
import { checkExperiment } from '../../explain/hazards/repair.ts';
import { lowerMedian } from '../../statistics.ts';
import { type Run, runName, runOrigin } from '../../trace/run.ts';
import { Allowances } from './allowances.ts';
import { figureText, type GateFigure, gateFigures, takesMost, tellFigure } from './figures.ts';
import { findingsOf, type HazardFinding, hazardFinding } from './findings.ts';
import { measureStep, type StepFigure, type StepFigures } from './measure.ts';
import { type ExperimentFile, Places } from './places.ts';
import { type GateFinding, type GateReport, type GateResult, gateFormat, gateVersion } from './report.ts';
import type { GateRules } from './rules.ts';
import { gateSteps } from './steps.ts';

export interface GateInput {
  readonly run: Run;
  /** File of the experiment, from which operations get line numbers. Null for a trace. */
  readonly file: ExperimentFile | null;
  /** Maps a source file's path in the trace to the reported path. Default: the same. */
  readonly nameOfFile?: (told: string) => string;
}

/** Throws `gate.*` if a limit can't be checked, because such a limit must not pass. */
export function gate(input: GateInput, rules: GateRules, baseline: GateInput | null): GateReport {
  requireRules(rules, baseline);
  const compared = baseline === null ? [] : (rules.baseline?.figures ?? gateFigures);
  const asked = new Set<GateFigure>([...rules.limits.keys(), ...compared]);
  const own = new Measured(input, rules, asked);
  const other = baseline === null ? null : new Measured(baseline, { ...rules, steps: null }, asked);
  const results = [
    ...[...rules.limits].map(([figure, most]) => limited(own, figure, most)),
    ...(other === null ? [] : regressions(own, other, rules)),
  ];
  const unused = own.allowances.unused();
  return {
    format: gateFormat,
    version: gateVersion,
    name: runName(input.run.info),
    origin: runOrigin(input.run.info, false),
    passed: results.every(({ status }) => status !== 'broken'),
    steps: { count: own.count, rule: own.rule },
    baseline:
      baseline === null || other === null
        ? null
        : { name: runName(baseline.run.info), origin: runOrigin(baseline.run.info, false), steps: other.count },
    results,
    allowed: own.allowances.used(),
    notes: [
      ...unused.map((what) => `"${what}" is allowed, and nothing like it was found: delete it from the rules.`),
      ...(baseline === null ? [] : otherMachine(input.run, baseline.run)),
    ],
  };
}

function requireRules({ limits, baseline }: GateRules, given: GateInput | null): void {
  if (baseline !== null && given === null) {
    throw new CopyscopeError({
      code: 'gate.no-baseline',
      field: 'baseline',
      message: 'the rules compare with a baseline, and none is given.',
      remedy: 'Name its trace with --baseline.',
    });
  }
  if (limits.size > 0 || given !== null) return;
  throw new CopyscopeError({
    code: 'gate.no-rules',
    field: 'limits',
    message: 'there is no limit, so that everything would pass.',
    remedy: `Name a limit in the rules or with --limit: ${gateFigures.join(', ')}.`,
  });
}

function otherMachine(run: Run, baseline: Run): string[] {
  const [one, other] = [run.info.device?.name, baseline.info.device?.name];
  if (one === undefined || other === undefined || one === other) return [];
  return [`The baseline was recorded on ${other}, this on ${one}: times differ for that reason too.`];
}

/** A run's figures, step by step. */
class Measured {
  readonly allowances: Allowances;
  readonly count: number;
  readonly rule: string;
  readonly input: GateInput;
  readonly places: Places;
  readonly #names: readonly string[];
  readonly #steps: readonly StepFigures[];
  #hazards: readonly HazardFinding[] | null = null;

  /** `asked`: figures to check. Allowances of other figures don't count as used. */
  constructor(input: GateInput, rules: GateRules, asked: ReadonlySet<GateFigure>) {
    const { trace } = input.run;
    this.input = input;
    this.allowances = new Allowances(rules.allow);
    this.places = new Places(input.run, input.file, input.nameOfFile);
    const { steps, rule } = gateSteps(input.run, rules.steps);
    [this.count, this.rule] = [steps.length, rule];
    this.#names = steps.map(({ name }) => name);
    const { ignoreCopiesBelowBytes } = rules;
    this.#steps = steps.map((step) =>
      measureStep(trace, step, {
        ignoreCopiesBelowBytes,
        isAllowed: (figure, row, call) =>
          !this.allowances.isEmpty &&
          asked.has(figure) &&
          this.allowances.allows(figure, this.places.of(row, call), `row ${row}`),
      }),
    );
  }

  #values(figure: Exclude<GateFigure, 'hazards'>): number[] {
    return this.#steps.map((step) => step[figure].value);
  }

  sample(figure: Exclude<GateFigure, 'hazards'>): Sample | null {
    return sampleOf(this.#values(figure), this.input.run.info.engine === 'sim');
  }

  /** Returns the step that is compared with a limit. */
  judged(figure: Exclude<GateFigure, 'hazards'>): StepFigure & { readonly step: string } {
    const values = this.#values(figure);
    const index = values.indexOf(takesMost(figure) ? greatest(values) : lowerMedian(values));
    return {
      value: values[index] ?? 0,
      shares: this.#steps[index]?.[figure].shares ?? [],
      step: this.#names[index] ?? '',
    };
  }

  /** Null for a trace, because only an experiment states what each operation touches. */
  get hazards(): readonly HazardFinding[] | null {
    const { experiment } = this.input.run.info;
    if (experiment === null) return null;
    this.#hazards ??= checkExperiment(experiment)
      .hazards.map((hazard) => hazardFinding(hazard, this.places))
      .filter(({ places, key }) => !places.some((place) => this.allowances.allows('hazards', place, key)));
    return this.#hazards;
  }
}

/** There are as many values as steps, too many for the arguments of one Math.max call. */
const greatest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);

function limited(own: Measured, figure: GateFigure, most: number): GateResult {
  if (figure === 'hazards') return limitedHazards(own, most);
  const { value, shares, step } = own.judged(figure);
  const isBroken = value > most;
  return {
    figure,
    against: 'limit',
    status: isBroken ? 'broken' : 'kept',
    value,
    most,
    step,
    message: `${step}: ${tellFigure(figure, value)}; at most ${figureText(figure, most)} allowed.`,
    findings: isBroken ? findingsOf(figure, shares, own.places, own.input.run) : [],
  };
}

function limitedHazards(own: Measured, most: number): GateResult {
  const found = own.hazards;
  if (found === null) {
    throw new CopyscopeError({
      code: 'gate.undecided',
      field: 'limits.hazards',
      message: 'a trace does not say which memory each operation touches, so its hazards are unknown.',
      remedy: 'Delete this limit for traces; an experiment has it.',
    });
  }
  const isBroken = found.length > most;
  return hazardResult('limit', isBroken, found, most, isBroken ? found : []);
}

const hazardResult = (
  against: GateResult['against'],
  isBroken: boolean,
  found: readonly HazardFinding[],
  most: number,
  told: readonly HazardFinding[],
): GateResult => ({
  figure: 'hazards',
  against,
  status: isBroken ? 'broken' : 'kept',
  value: found.length,
  most,
  step: '',
  message: `${tellFigure('hazards', found.length)}; ${against === 'limit' ? `at most ${most} allowed` : `the baseline has ${most}`}.`,
  findings: told.map(({ key: _, places: __, ...finding }): GateFinding => finding),
});

function regressions(own: Measured, baseline: Measured, { baseline: written }: GateRules): GateResult[] {
  const leastShare = written?.leastShare ?? 0;
  return gateFigures
    .filter((figure) => written === null || written.figures.includes(figure))
    .flatMap((figure) => {
      if (figure !== 'hazards') return [regression(own, baseline, figure, leastShare)];
      const [found, before] = [own.hazards, baseline.hazards];
      if (found === null || before === null) return [];
      const known = new Set(before.map(({ message }) => message));
      const added = found.filter(({ message }) => !known.has(message));
      const isBroken = found.length > before.length * (1 + leastShare);
      return [hazardResult('baseline', isBroken, found, before.length, isBroken ? added : [])];
    });
}

function regression(
  own: Measured,
  baseline: Measured,
  figure: Exclude<GateFigure, 'hazards'>,
  leastShare: number,
): GateResult {
  const [now, before] = [own.judged(figure), baseline.judged(figure)];
  const isMore = now.value > before.value * (1 + leastShare);
  const isLarger = isMore && takesMost(figure);
  const { judgement } = difference(baseline.sample(figure), own.sample(figure));
  const beyondNoise = judgement === 'undecided' ? 'undecided' : judgement === 'larger' ? 'broken' : 'kept';
  const status = isLarger ? 'broken' : isMore ? beyondNoise : 'kept';
  const told = {
    kept: isMore ? ', which is within what its steps differ' : '',
    broken: '',
    undecided: ', and so few steps cannot separate it from noise',
  }[status];
  return {
    figure,
    against: 'baseline',
    status,
    value: now.value,
    most: before.value,
    step: now.step,
    message: `${now.step}: ${tellFigure(figure, now.value)}; the baseline has ${figureText(figure, before.value)}${told}.`,
    findings:
      status === 'broken'
        ? findingsOf(figure, now.shares, own.places, own.input.run, { shares: before.shares, places: baseline.places })
        : [],
  };
}
