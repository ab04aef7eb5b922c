/** Plans a sweep's points. Each point's experiment is made on request, never all at once. */
import { CopyscopeError, type ErrorInfo, errorOfAll, toErrorInfo } from '../../errors.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { parseExperiment } from '../../experiment/parse.ts';
import type { ParameterUnit } from '../../experiment/templates/parameters.ts';
import { axisText } from './amounts.ts';
import type { SweepDocument } from './document.ts';
import { type FieldPath, setNumber, setText } from './fields.ts';

export interface PlannedAxis {
  readonly title: string;
  readonly unit: ParameterUnit;
  /** In base units, in document order. For an axis of names, indices into `names`. */
  readonly values: readonly number[];
  /** Names of the values; null if the axis varies a number. */
  readonly names: readonly string[] | null;
  readonly scale: 'linear' | 'geometric';
  readonly target: { readonly parameter: string } | { readonly fields: readonly FieldPath[] };
}

export type PlannedPoint =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problem: ErrorInfo };

export interface SweepPlan {
  readonly document: SweepDocument;
  readonly axes: readonly PlannedAxis[];
  /** Number of points, numbered from 0. The last axis changes fastest. */
  readonly count: number;
  /** Returns one value for each axis. */
  valuesOf(point: number): readonly number[];
  /** Returns for example 'Chunk size 1 MiB, streams 2'. */
  nameOf(point: number): string;
  /** Returns the experiment of a point, or why there is none. */
  at(point: number): PlannedPoint;
}

/** Makes the experiment for the parameters of a point. */
export type Base = (parameters: Readonly<Record<string, number>>) => Experiment;

export function sweepPlan(document: SweepDocument, axes: readonly PlannedAxis[], base: Base): SweepPlan {
  const valuesOf = (point: number): number[] => {
    const values: number[] = [];
    let rest = point;
    for (const axis of [...axes].reverse()) {
      values.unshift(axis.values[rest % axis.values.length] ?? 0);
      rest = Math.floor(rest / axis.values.length);
    }
    return values;
  };
  const nameOf = (point: number): string => {
    const values = valuesOf(point);
    const parts = axes.map((axis, index) => `${axis.title} ${axisText(axis, values[index])}`);
    return parts.map((part, index) => (index === 0 ? part : lowerFirst(part))).join(', ');
  };
  return {
    document,
    axes,
    count: axes.reduce((product, { values }) => product * values.length, 1),
    valuesOf,
    nameOf,
    at: (point) => made(base, axes, valuesOf(point), `${document.name}: ${lowerFirst(nameOf(point))}`),
  };
}

/** Returns a title as it stands within a sentence; 'GPU time' stays. */
export const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

function made(base: Base, axes: readonly PlannedAxis[], values: readonly number[], name: string): PlannedPoint {
  try {
    const draft = structuredClone(base(parametersOf(axes, values)));
    axes.forEach(({ target, names }, index) => {
      if (!('fields' in target)) return;
      const value = values[index] ?? 0;
      for (const path of target.fields) requireSet(draft, path, names === null ? value : (names[value] ?? ''));
    });
    const parsed = parseExperiment({ ...draft, name: name.slice(0, 200) });
    return parsed.ok ? parsed : { ok: false, problem: errorOfAll(parsed.problems).toInfo() };
  } catch (thrown) {
    return { ok: false, problem: toErrorInfo(thrown, 'sweep.point') };
  }
}

function parametersOf(axes: readonly PlannedAxis[], values: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    axes.flatMap(({ target }, index) => ('parameter' in target ? [[target.parameter, values[index] ?? 0]] : [])),
  );
}

function requireSet(draft: Experiment, path: FieldPath, value: number | string): void {
  if (typeof value === 'number' ? setNumber(draft, path, value) : setText(draft, path, value)) return;
  throw new CopyscopeError({
    code: 'sweep.point',
    message: `there is no such field as ${path.join('.')} in this point's experiment.`,
    remedy: 'Name a field that every point has.',
  });
}
