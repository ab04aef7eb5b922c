/** Parameters of a template, with their bounds. */
import { CopyscopeError } from '../../errors.ts';
import { formatBytes, formatDuration } from '../../units.ts';

/** Bytes, nanoseconds, or a plain number. */
export type ParameterUnit = 'B' | 'ns' | 'count';

export interface TemplateParameter {
  readonly name: string;
  /** For example 'Chunk size'. */
  readonly label: string;
  readonly unit: ParameterUnit;
  readonly standard: number;
  readonly least: number;
  readonly most: number;
}

export type ParameterValues = Readonly<Record<string, number>>;

/**
 * Returns the given values, with defaults for the others. Throws `template.invalid` with the parameter's name as field
 * if one is unknown, out of bounds, or not a whole number.
 */
export function withStandards(parameters: readonly TemplateParameter[], given: ParameterValues): ParameterValues {
  for (const [name, value] of Object.entries(given)) requireFit(find(parameters, name), value);
  return { ...Object.fromEntries(parameters.map(({ name, standard }) => [name, standard])), ...given };
}

function find(parameters: readonly TemplateParameter[], name: string): TemplateParameter {
  const found = parameters.find((parameter) => parameter.name === name);
  if (found !== undefined) return found;
  throw invalid(
    name,
    `there is no parameter ${JSON.stringify(name.slice(0, 60))}.`,
    `Use one of: ${parameters.map((parameter) => parameter.name).join(', ')}.`,
  );
}

function requireFit({ name, label, unit, least, most }: TemplateParameter, value: number): void {
  if (!Number.isInteger(value)) throw invalid(name, `${label}: ${value} is not a whole number.`, 'Use a whole number.');
  if (value >= least && value <= most) return;
  const bounds = `from ${amountText(unit, least)} to ${amountText(unit, most)}`;
  throw invalid(name, `${label}: ${amountText(unit, value)} is not ${bounds}.`, `Use a value ${bounds}.`);
}

const amountText = (unit: ParameterUnit, value: number): string =>
  unit === 'B' ? formatBytes(value) : unit === 'ns' ? formatDuration(value) : String(value);

const invalid = (field: string, message: string, remedy: string): CopyscopeError =>
  new CopyscopeError({ code: 'template.invalid', field, message, remedy });
