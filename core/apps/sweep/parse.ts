/** Parses text or unknown JSON to a sweep, or to messages that name the field and the remedy. */

import { type CopyscopeError, type ErrorInfo, errorOfAll } from '../../errors.ts';
import { type Experiment, experimentSchema } from '../../experiment/experiment.ts';
import { maxExperimentCharacters, parseExperiment } from '../../experiment/parse.ts';
import type { ParameterUnit } from '../../experiment/templates/parameters.ts';
import { type Template, templates } from '../../experiment/templates/templates.ts';
import { checkShape, hasUnknownFields } from '../../shape/checkShape.ts';
import { showValue } from '../../shape/messages.ts';
import { parseJson } from '../../shape/parseJson.ts';
import { fieldPath, valueAtPath } from '../../shape/path.ts';
import { amountExample, parseAmount, rangeValues } from './amounts.ts';
import { optionsOf } from './categories.ts';
import { mostPoints, type SweepAxis, type SweepDocument, sweepFormat, sweepSchema, sweepVersion } from './document.ts';
import { type FieldPath, fieldTitle, fieldUnit, isWholeField, parseFieldPath } from './fields.ts';
import { type Base, type PlannedAxis, type SweepPlan, sweepPlan } from './plan.ts';

export type ParsedSweep =
  | { readonly ok: true; readonly plan: SweepPlan }
  | { readonly ok: false; readonly problems: readonly ErrorInfo[] };

const problem = (field: string, message: string, remedy: string): ErrorInfo => ({
  code: 'sweep.invalid',
  field,
  message,
  remedy,
});

const failed = (...problems: ErrorInfo[]): ParsedSweep => ({ ok: false, problems });

/** Returns whether a JSON value declares itself a sweep. */
export const looksLikeSweep = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && (json as Record<string, unknown>)['format'] === sweepFormat;

/** Parses a sweep document. Never throws. */
export function parseSweepText(text: string): ParsedSweep {
  if (text.length > maxExperimentCharacters) {
    return failed(problem('document', `the document has ${text.length} characters.`, 'Check that it is a sweep.'));
  }
  const parsed = parseJson(text);
  return parsed.ok ? parseSweep(parsed.json) : failed(problem('document', parsed.message, parsed.remedy));
}

/** Validates an unknown value as a sweep, and plans its points. Never throws. */
export function parseSweep(json: unknown): ParsedSweep {
  if (!looksLikeSweep(json)) {
    const given = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)['format'] : undefined;
    const message = given === undefined ? '"format" is missing.' : `format is ${showValue(given)}.`;
    return failed(problem('format', message, `Give "format" as "${sweepFormat}".`));
  }
  const { version } = json as Record<string, unknown>;
  if (typeof version === 'number' && version > sweepVersion) {
    const message = `version ${version} is newer than this program reads (${sweepVersion}).`;
    return failed(problem('version', message, 'Update Copyscope.'));
  }
  const shape = checkShape(sweepSchema, json);
  if (shape.ok) return planned(shape.value);
  return failed(...shape.problems.slice(0, 100).map(({ field, message, remedy }) => problem(field, message, remedy)));
}

/** Returns the plan, or throws a CopyscopeError `sweep.invalid` that lists every problem. */
export function requireSweep(json: unknown): SweepPlan {
  const parsed = typeof json === 'string' ? parseSweepText(json) : parseSweep(json);
  if (parsed.ok) return parsed.plan;
  throw errorOfAll(parsed.problems);
}

/** Names that axes can use, and the base of the points. */
interface Ground {
  readonly template: Template | null;
  /** The experiment before any axis is applied. */
  readonly experiment: Experiment;
  readonly base: Base;
}

function planned(document: SweepDocument): ParsedSweep {
  const ground = groundOf(document);
  if ('problems' in ground) return failed(...ground.problems);
  const problems: ErrorInfo[] = [];
  const axes = document.axes.flatMap((axis, index) => {
    const found = plannedAxis(axis, `axes[${index}]`, ground);
    if ('problems' in found) problems.push(...found.problems);
    return 'problems' in found ? [] : [found.axis];
  });
  problems.push(...(problems.length === 0 ? [...sameTarget(axes), ...tooMany(axes)] : []));
  return problems.length > 0 ? failed(...problems) : { ok: true, plan: sweepPlan(document, axes, ground.base) };
}

type Found<Value> = Value | { readonly problems: readonly ErrorInfo[] };

function groundOf({ base }: SweepDocument): Found<Ground> {
  const { template: id, parameters = {}, experiment } = base;
  if ((id === undefined) === (experiment === undefined)) {
    const message = 'a sweep begins with either a "template" or an "experiment".';
    return { problems: [problem('base', message, 'Give one of the two.')] };
  }
  if (experiment !== undefined) {
    const parsed = parseExperiment(experiment);
    if (parsed.ok) return { template: null, experiment: parsed.experiment, base: () => parsed.experiment };
    return {
      problems: parsed.problems.slice(0, 100).map((one) => ({
        ...one,
        code: 'sweep.invalid',
        field: `base.experiment.${one.field}`,
      })),
    };
  }
  const template = templates.find((one) => one.id === id);
  if (template === undefined) {
    const message = `there is no template ${showValue(id)}.`;
    return {
      problems: [problem('base.template', message, `Use one of: ${templates.map((one) => one.id).join(', ')}.`)],
    };
  }
  const given = givenParameters(template, parameters);
  if ('problems' in given) return given;
  try {
    const make: Base = (varied) => template.build({ ...given.values, ...varied });
    // A varied parameter may not fit the defaults of the others. Then each point reports that.
    return { template, experiment: buildable(template, given.values), base: make };
  } catch (thrown) {
    const { message, remedy = '' } = thrown as CopyscopeError;
    return { problems: [problem('base.parameters', message, remedy)] };
  }
}

function buildable(template: Template, values: Readonly<Record<string, number>>): Experiment {
  try {
    return template.build(values);
  } catch {
    return template.build();
  }
}

function givenParameters(
  template: Template,
  given: Readonly<Record<string, number | string>>,
): Found<{ readonly values: Record<string, number> }> {
  const problems: ErrorInfo[] = [];
  const entries = Object.entries(given).flatMap(([name, amount]) => {
    const field = `base.parameters.${name}`;
    const parameter = template.parameters.find((one) => one.name === name);
    const value = parameter === undefined ? null : parseAmount(amount, parameter.unit);
    if (parameter === undefined) problems.push(unknownParameter(field, name, template));
    else if (value === null) problems.push(badAmount(field, amount, parameter.unit));
    return value === null ? [] : [[name, value] as const];
  });
  return problems.length > 0 ? { problems } : { values: Object.fromEntries(entries) };
}

const unknownParameter = (field: string, name: string, { id, parameters }: Template): ErrorInfo =>
  problem(
    field,
    `template ${id} has no parameter ${showValue(name)}.`,
    `Use one of: ${parameters.map((parameter) => parameter.name).join(', ')}.`,
  );

const badAmount = (field: string, amount: unknown, unit: ParameterUnit): ErrorInfo =>
  problem(field, `${showValue(amount)} is not ${amountExample[unit]}.`, `Use ${amountExample[unit]}.`);

interface Target {
  readonly target: PlannedAxis['target'];
  readonly title: string;
  readonly unit: ParameterUnit;
  readonly whole: boolean;
  /** Allowed names of the field; null if it is a number. */
  readonly options: readonly string[] | null;
}

function plannedAxis(axis: SweepAxis, at: string, ground: Ground): Found<{ readonly axis: PlannedAxis }> {
  const target = targetOf(axis, at, ground);
  if ('problems' in target) return target;
  if (target.options !== null) return namedAxis(axis, at, target, target.options);
  const values = valuesOf(axis, at, target);
  if ('problems' in values) return values;
  const { title, unit } = target;
  const scale = axis.scale ?? (isGeometric(values.values) ? 'geometric' : 'linear');
  return {
    axis: { title: axis.label ?? title, unit, target: target.target, values: values.values, names: null, scale },
  };
}

/** Plans an axis of names. Each value must be allowed for the field. */
function namedAxis(
  axis: SweepAxis,
  at: string,
  { title, target }: Target,
  options: readonly string[],
): Found<{ readonly axis: PlannedAxis }> {
  const names = (axis.values ?? []).map(String);
  const problems = names.flatMap((name, index) =>
    options.includes(name)
      ? []
      : [
          problem(
            `${at}.values[${index}]`,
            `${showValue(name)} is not possible here.`,
            `Use one of: ${options.join(', ')}.`,
          ),
        ],
  );
  if (names.length === 0) {
    problems.push(problem(`${at}.values`, 'an axis of names needs "values".', `List some of: ${options.join(', ')}.`));
  }
  if (new Set(names).size < names.length) {
    problems.push(problem(`${at}.values`, 'a value is there twice.', 'Leave one of them out.'));
  }
  if (problems.length > 0) return { problems };
  return {
    axis: {
      title: axis.label ?? title,
      unit: 'count',
      target,
      values: names.map((_, index) => index),
      names,
      scale: 'linear',
    },
  };
}

function targetOf(axis: SweepAxis, at: string, { template, experiment }: Ground): Found<Target> {
  const { parameter: name, fields } = axis;
  if ((name === undefined) === (fields === undefined)) {
    return { problems: [problem(at, 'an axis varies either "parameter" or "fields".', 'Give one of the two.')] };
  }
  if (name !== undefined) {
    if (template === null) {
      const message = 'an experiment has no parameters.';
      return { problems: [problem(`${at}.parameter`, message, 'Name "fields", or begin with a template.')] };
    }
    const parameter = template.parameters.find((one) => one.name === name);
    if (parameter === undefined) return { problems: [unknownParameter(`${at}.parameter`, name, template)] };
    return { target: { parameter: name }, title: parameter.label, unit: parameter.unit, whole: true, options: null };
  }
  return fieldsTarget(fields ?? [], at, experiment, template !== null);
}

function fieldsTarget(fields: readonly string[], at: string, experiment: Experiment, varies: boolean): Found<Target> {
  const problems: ErrorInfo[] = [];
  const paths = fields.flatMap((text, index): FieldPath[] => {
    const path = parseFieldPath(text);
    const fault = path === null ? 'is no path of a field' : (varies ? misspeltFaultOf : faultOf)(experiment, path);
    if (path !== null && fault === null) return [path];
    problems.push(
      problem(`${at}.fields[${index}]`, `${showValue(text)} ${fault}.`, 'Name a number, as "buffers[0].bytes".'),
    );
    return [];
  });
  const [first] = paths;
  if (first === undefined || problems.length > 0) return { problems };
  const options = varies ? null : sharedOptions(experiment, paths);
  if (options !== null && options.length === 0) {
    return { problems: [problem(`${at}.fields`, 'these fields have no value in common.', 'Vary them on two axes.')] };
  }
  const unit = fieldUnit(first);
  if (paths.some((path) => fieldUnit(path) !== unit)) {
    return { problems: [problem(`${at}.fields`, 'these fields have different units.', 'Vary them on two axes.')] };
  }
  return {
    target: { fields: paths },
    title: fieldTitle(experiment, first),
    unit,
    whole: paths.some(isWholeField),
    options,
  };
}

/** Returns the names that all of these fields allow; null if the fields are numbers. */
function sharedOptions(experiment: Experiment, paths: readonly FieldPath[]): readonly string[] | null {
  const all = paths.map((path) => optionsOf(experiment, path));
  if (all.every((options) => options === null)) return null;
  const [first, ...others] = all;
  return (first ?? []).filter((option) => others.every((options) => options?.includes(option) === true));
}

/** Returns why this field can't be varied, or null. A missing number may be varied. */
function faultOf(experiment: Experiment, path: FieldPath): string | null {
  const value = valueAtPath(experiment, path);
  if (typeof value === 'number' || optionsOf(experiment, path) !== null) return null;
  if (value !== undefined) return 'is neither a number nor one of several names in this experiment';
  if (!isHeld(experiment, path)) return 'is not in this experiment';
  return isUnknownField(experiment, path) ? noSuchField : null;
}

/** Returns the same for a template: its parameters may change the kind of an operation, so fewer paths are certain. */
function misspeltFaultOf(experiment: Experiment, path: FieldPath): string | null {
  const isSettled = !path.includes('operations') && isHeld(experiment, path);
  return isSettled && isUnknownField(experiment, path) ? noSuchField : null;
}

const noSuchField = 'is no field that an experiment may have there';

/** Returns whether there is an object that has the field, or could have it. */
function isHeld(experiment: Experiment, path: FieldPath): boolean {
  const holder = valueAtPath(experiment, path.slice(0, -1));
  return typeof holder === 'object' && holder !== null && !Array.isArray(holder);
}

function valuesOf(axis: SweepAxis, at: string, { unit, whole }: Target): Found<{ readonly values: number[] }> {
  const { values, from, to, points, scale = 'linear' } = axis;
  const isRange = from !== undefined || to !== undefined || points !== undefined;
  if (isRange === (values !== undefined)) {
    return {
      problems: [problem(at, 'an axis has either "values", or "from", "to" and "points".', 'Give one of the two.')],
    };
  }
  const problems: ErrorInfo[] = [];
  const amount = (field: string, given: number | string | undefined): number => {
    const value = given === undefined ? null : parseAmount(given, unit);
    if (given === undefined) problems.push(problem(`${at}.${field}`, `"${field}" is missing.`, 'Add it.'));
    else if (value === null) problems.push(badAmount(`${at}.${field}`, given, unit));
    return value ?? Number.NaN;
  };
  if (values !== undefined) {
    const list = values.map((value, index) => amount(`values[${index}]`, value));
    if (new Set(list).size < list.length && problems.length === 0) {
      problems.push(problem(`${at}.values`, 'a value is there twice.', 'Leave one of them out.'));
    }
    return problems.length > 0 ? { problems } : { values: list };
  }
  const ends = [amount('from', from), amount('to', to)] as const;
  if (points === undefined) problems.push(problem(`${at}.points`, '"points" is missing.', 'Say how many values.'));
  if (scale === 'geometric' && ends.some((end) => end <= 0)) {
    problems.push(problem(`${at}.from`, 'a geometric range needs ends above 0.', 'Use other ends, or scale "linear".'));
  }
  if (ends[0] === ends[1]) problems.push(problem(`${at}.to`, 'a range needs two different ends.', 'Change one.'));
  if (problems.length > 0) return { problems };
  return { values: rangeValues({ from: ends[0], to: ends[1], points: points ?? 2, scale }, whole) };
}

/** Returns whether neighbours differ by factors rather than steps: such values belong on a logarithmic axis. */
function isGeometric(values: readonly number[]): boolean {
  if (values.length < 3 || values.some((value) => value <= 0)) return false;
  const sorted = [...values].sort((a, b) => a - b);
  const [first = 1, middle = 1, last = 1] = [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return last / first >= 8 && (middle - first) / (last - first) < 0.3;
}

function sameTarget(axes: readonly PlannedAxis[]): ErrorInfo[] {
  const names = axes.map(({ target }) => ('parameter' in target ? [target.parameter] : target.fields.map(fieldPath)));
  const shared = names[0]?.find((name) => names[1]?.includes(name));
  return shared === undefined
    ? []
    : [problem('axes[1]', `both axes vary ${showValue(shared)}.`, 'Vary something else on one of them.')];
}

function tooMany(axes: readonly PlannedAxis[]): ErrorInfo[] {
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count <= mostPoints) return [];
  const message = `this sweep has ${count} points; at most ${mostPoints} are run.`;
  return [problem('axes', message, 'Use fewer values, or run it in parts.')];
}

/** Returns whether a field, whose object must exist, is unknown. Undefined counts as unknown if the schema lacks it. */
const isUnknownField = (experiment: Experiment, path: FieldPath): boolean =>
  hasUnknownFields(experimentSchema, onlyWith(experiment, path));

/** Keeps only the path to a field, to avoid checking a long document: lists of one, objects with plain fields. */
function onlyWith(value: unknown, [step, ...rest]: FieldPath): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return undefined;
  const inside = onlyWith(valueAtPath(value, [step]), rest);
  if (Array.isArray(value)) return [inside];
  // The plain fields determine which fields an operation may have.
  const plain = Object.entries(value).filter(([, field]) => typeof field !== 'object');
  return { ...Object.fromEntries(plain), [step]: inside };
}
