/** Checks: a measure with bounds, or the cause that a verdict must name. A task is done when all its checks pass. */
import { z } from 'zod';
import { causes } from '../../explain/verdicts/verdict.ts';
import { checkShape, type Shape } from '../../shape/checkShape.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../units.ts';
import { measureSchema, selectorSchema, type Unit, unitOf } from './measure.ts';
import { arrived, selectRows, takeMeasure } from './measureRun.ts';
import type { Played } from './played.ts';

const says = z.string().min(1).max(300);

const verdictCheckSchema = z.strictObject({
  /** Sentence for the learner that states what is checked. */
  says,
  /** Copies whose verdicts are checked; each must have one of these causes. */
  verdict: selectorSchema,
  is: z.array(z.enum(causes)).min(1),
});

/** Checks the two shapes by hand, because the error of a zod union only says that neither fits. */
export const checkSchema = z.looseObject({ says }).transform((value, context): Check => {
  const { says: sentence, ...rest } = value;
  if ('verdict' in value) return parsed(checkShape(verdictCheckSchema, value), context);
  const measure = parsed(checkShape(measureSchema, rest), context);
  if (measure !== z.NEVER && measure.atLeast === undefined && measure.atMost === undefined) {
    context.addIssue({ code: 'custom', message: 'needs "atLeast" or "atMost"' });
  }
  return { says: sentence, measure };
});

/** Adds each problem to the context. A zod union would only say that neither shape fits. */
export function parsed<Value>(
  shape: Shape<Value>,
  context: { addIssue(issue: { code: 'custom'; message: string; path: PropertyKey[]; params: object }): void },
): Value {
  if (shape.ok) return shape.value;
  for (const { path, message, remedy } of shape.problems) {
    context.addIssue({ code: 'custom', message, path: [...path], params: { remedy } });
  }
  return z.NEVER;
}

export type VerdictCheck = z.infer<typeof verdictCheckSchema>;
export interface MeasureCheck {
  readonly says: string;
  readonly measure: z.infer<typeof measureSchema>;
}
export type Check = VerdictCheck | MeasureCheck;

export interface CheckResult {
  readonly says: string;
  readonly holds: boolean;
  /** False if this run can't decide the check, such as a data check on a simulation. `holds` is then true. */
  readonly told: boolean;
  /** Found and required value as text: '100 %', 'at least 50 %'. */
  readonly found: string;
  readonly wanted: string;
}

/** Evaluates a check. `others` are the runs that checks compare with, by name. */
export function evaluateCheck(check: Check, played: Played, others: ReadonlyMap<string, Played>): CheckResult {
  return 'verdict' in check ? evaluateVerdict(check, played) : evaluateMeasure(check, played, others);
}

function evaluateVerdict({ says: sentence, verdict, is }: VerdictCheck, played: Played): CheckResult {
  const ops = new Set(selectRows(played, verdict).map((row) => played.run.trace.columns.op[row] ?? -1));
  const found = played.verdicts.filter(({ op }) => ops.has(op));
  const wrong = found.find(({ cause }) => !is.includes(cause));
  return {
    says: sentence,
    told: true,
    holds: found.length > 0 && wrong === undefined,
    found: (wrong ?? found[0])?.title ?? 'no such copy',
    wanted: `the verdict ${is.map((cause) => cause.replaceAll('-', ' ')).join(' or ')}`,
  };
}

function evaluateMeasure(
  { says: sentence, measure }: MeasureCheck,
  played: Played,
  others: ReadonlyMap<string, Played>,
): CheckResult {
  const { atLeast, atMost } = measure;
  const value = takeMeasure(played, measure);
  const compares = comparisonOf(measure, played, others);
  const unit = compares === null ? unitOf(measure) : 'times';
  const wanted = boundsText(atLeast, atMost, unit);
  if (measure.measure === 'wrong-bytes' && value === null) {
    return { says: sentence, told: false, holds: true, found: 'a simulation moves no data', wanted };
  }
  const compared = compares === null ? value : ratio(value, compares.value);
  if (compared === null) return { says: sentence, told: true, holds: false, found: 'nothing to measure', wanted };
  const holds = compared >= (atLeast ?? Number.NEGATIVE_INFINITY) && compared <= (atMost ?? Number.POSITIVE_INFINITY);
  return { says: sentence, told: true, holds, found: foundText(measure, played, valueText(compared, unit)), wanted };
}

/** Returns the ratio's denominator: the measure of another run, of other rows, or both. Null if there is no ratio. */
function comparisonOf(
  measure: MeasureCheck['measure'],
  played: Played,
  others: ReadonlyMap<string, Played>,
): { readonly value: number | null } | null {
  const otherRows = 'against' in measure && measure.against !== undefined ? { ...measure, of: measure.against } : null;
  if (measure.comparedTo === undefined && otherRows === null) return null;
  const base = measure.comparedTo === undefined ? played : others.get(measure.comparedTo);
  return { value: base === undefined ? null : takeMeasure(base, otherRows ?? measure) };
}

/** Returns wrong bytes together with checked bytes: '2,097,152 of 4,194,304'. */
function foundText(measure: MeasureCheck['measure'], { run }: Played, text: string): string {
  if (measure.measure !== 'wrong-bytes' || measure.comparedTo !== undefined) return text;
  const data = arrived(run, measure.buffer);
  return data === null ? text : `${count(data.bytesWrong)} of ${count(data.bytesChecked)} B`;
}

/** Returns value / before. If both are 0, they count as equal. */
function ratio(value: number | null, before: number | null): number | null {
  if (value === null || before === null) return null;
  if (before === 0) return value === 0 ? 1 : null;
  return value / before;
}

export function valueText(value: number, unit: Unit | 'times'): string {
  switch (unit) {
    case 'time':
      return formatDuration(value);
    case 'bytes':
      return formatBytes(value);
    case 'rate':
      return formatRate(value);
    case 'share':
      return formatShare(value);
    case 'times':
      return `${Number(value.toPrecision(3))} ×`;
    case 'count':
      return count(value);
  }
}

const count = (value: number): string => value.toLocaleString('en-US');

function boundsText(atLeast: number | undefined, atMost: number | undefined, unit: Unit | 'times'): string {
  const text = (value: number): string => valueText(value, unit);
  if (atLeast === atMost && atLeast !== undefined) return text(atLeast);
  const parts = [
    ...(atLeast === undefined ? [] : [`at least ${text(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${text(atMost)}`]),
  ];
  return parts.join(', ');
}
