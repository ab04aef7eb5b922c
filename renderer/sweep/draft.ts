/** The form of a sweep: texts as typed, and the document that they make. */

import { amountText } from '../../core/apps/sweep/amounts.ts';
import { categoryFields } from '../../core/apps/sweep/categories.ts';
import {
  type Amount,
  type SweepAxis,
  type SweepDocument,
  sweepFormat,
  sweepVersion,
} from '../../core/apps/sweep/document.ts';
import { numericFields, parseFieldPath } from '../../core/apps/sweep/fields.ts';
import { linkedSizes } from '../../core/apps/sweep/linked.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { ParameterUnit } from '../../core/experiment/templates/parameters.ts';
import { type Template, templates } from '../../core/experiment/templates/templates.ts';
import { rememberedBy } from '../../core/rememberedBy.ts';
import { fieldPath } from '../../core/shape/path.ts';

export interface AxisDraft {
  /** Label in the document, if the varied field doesn't say enough. */
  readonly label?: string | undefined;
  /** Name of a parameter, or path of a field; empty until one is chosen. */
  readonly target: string;
  /** Further fields that get the same values. */
  readonly also: readonly string[];
  readonly as: 'list' | 'range';
  readonly list: string;
  readonly from: string;
  readonly to: string;
  readonly points: string;
  readonly scale: 'linear' | 'geometric';
}

export interface SweepDraft {
  readonly name: string;
  /** Description in the document, which the form doesn't change. */
  readonly description: string;
  /** The varied program. */
  readonly base:
    | { readonly kind: 'template'; readonly template: string; readonly parameters: Readonly<Record<string, string>> }
    | { readonly kind: 'experiment'; readonly experiment: Experiment };
  readonly axes: readonly AxisDraft[];
  /** If empty, each experiment's own number. */
  readonly iterations: string;
}

export interface Choice {
  readonly target: string;
  readonly title: string;
  readonly unit: ParameterUnit;
  readonly value: number;
  /** Current and possible values of a field with names; null for numbers. */
  readonly names: { readonly now: string; readonly options: readonly string[] } | null;
}

export const templateOf = (id: string): Template | undefined => templates.find((template) => template.id === id);

/** Returns the fields that an axis can vary. */
export function choicesOf({ base }: Pick<SweepDraft, 'base'>): readonly Choice[] {
  if (base.kind === 'template') {
    return (templateOf(base.template)?.parameters ?? []).map(({ name, label, unit, standard }) => ({
      target: name,
      title: label,
      unit,
      value: standard,
      names: null,
    }));
  }
  return fieldsOf(base.experiment);
}

const fieldsOf = rememberedBy((experiment: Experiment): readonly Choice[] => [
  ...numericFields(experiment).map(({ path, ...field }) => ({ ...field, target: fieldPath(path), names: null })),
  ...categoryFields(experiment).map(
    ({ path, title, value, options }): Choice => ({
      ...{ target: fieldPath(path), title, unit: 'count', value: 0 },
      names: { now: value, options },
    }),
  ),
]);

/** Returns fields that follow a size by default: a copy's target is as large as its source. */
export function followers({ base }: Pick<SweepDraft, 'base'>, target: string): readonly string[] {
  const path = base.kind === 'experiment' ? parseFieldPath(target) : null;
  return path === null || base.kind === 'template' ? [] : linkedSizes(base.experiment, path);
}

/** Returns the suggested axis for a chosen field. */
export const axisFor = (draft: Pick<SweepDraft, 'base'>, choice: Choice | undefined): AxisDraft => ({
  ...suggestedAxis(choice),
  also: choice === undefined ? [] : followers(draft, choice.target),
});

/** Returns values around the present one: factors of two, or the first few numbers; all possible names. */
export function suggestedAxis(choice: Choice | undefined): AxisDraft {
  const blank: AxisDraft = {
    target: choice?.target ?? '',
    also: [],
    as: 'range',
    list: '',
    from: '',
    to: '',
    points: '5',
    scale: 'geometric',
  };
  if (choice === undefined) return blank;
  const { unit, value, names } = choice;
  if (names !== null) return { ...blank, as: 'list', list: suggestedNames(names).join(', ') };
  if (unit === 'count' && value <= 16)
    return { ...blank, as: 'list', list: value < 1 ? '0.25, 0.5, 1' : '1, 2, 3, 4, 5' };
  if (value < 4) return { ...blank, as: 'list', list: amountText(value, unit) };
  const [from, to] = [Math.max(1, Math.round(value / 4)), value * 4];
  return { ...blank, from: amountText(from, unit), to: amountText(to, unit) };
}

/** Returns pageable and pinned for memory, since these differ most; else all names. */
function suggestedNames({ options }: NonNullable<Choice['names']>): readonly string[] {
  const both = ['pageable', 'pinned'];
  return both.every((name) => options.includes(name)) ? both : options;
}

export function documentOf(draft: SweepDraft): SweepDocument {
  const { base } = draft;
  return {
    format: sweepFormat,
    version: sweepVersion,
    name: draft.name.trim(),
    description: draft.description,
    base:
      base.kind === 'template'
        ? { template: base.template, parameters: { ...base.parameters } }
        : { experiment: base.experiment },
    axes: draft.axes.map((axis) => axisOf(axis, base.kind)),
  };
}

function axisOf(
  { label, target, also, as, list, from, to, points, scale }: AxisDraft,
  base: 'template' | 'experiment',
) {
  const count = Number(points);
  return {
    ...(label === undefined ? {} : { label }),
    ...(base === 'template' ? { parameter: target } : { fields: [target, ...also] }),
    ...(as === 'list'
      ? { values: listed(list) }
      : { from: from.trim(), to: to.trim(), points: Number.isInteger(count) ? count : 0, scale }),
  };
}

export const listed = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Returns the draft that makes a document, for changing it and running it again. */
export function draftOf(plan: SweepPlan, experiment: Experiment | null, iterations: number | null) {
  const { name, description, base, axes } = plan.document;
  const draft: SweepDraft = {
    name,
    description,
    base:
      experiment === null
        ? { kind: 'template', template: base.template ?? '', parameters: parametersOf(base) }
        : { kind: 'experiment', experiment },
    axes: axes.map((axis, index) => draftAxis(axis, plan.axes[index]?.unit ?? 'count')),
    iterations: iterations === null ? '' : String(iterations),
  };
  return draft;
}

function draftAxis(axis: SweepAxis, unit: ParameterUnit): AxisDraft {
  const { label, parameter, fields = [], values = [], from = '', to = '', points = 5, scale = 'linear' } = axis;
  return {
    label,
    target: parameter ?? fields[0] ?? '',
    also: fields.slice(1),
    as: axis.values === undefined ? 'range' : 'list',
    list: values.map((value) => typed(value, unit)).join(', '),
    from: typed(from, unit),
    to: typed(to, unit),
    points: String(points),
    scale,
  };
}

function parametersOf({ template = '', parameters = {} }: SweepDocument['base']): Record<string, string> {
  const known = templateOf(template)?.parameters ?? [];
  const unitOf = (name: string): ParameterUnit => known.find((one) => one.name === name)?.unit ?? 'count';
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, typed(value, unitOf(name))]));
}

/** Returns an amount as typed in the form, where a number needs its unit. In a document it has none. */
const typed = (amount: Amount, unit: ParameterUnit): string =>
  typeof amount === 'number' ? amountText(amount, unit) : amount;
