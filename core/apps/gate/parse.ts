/** Parses a rules file, or throws an error that names each wrong field, its value and the remedy. */
import { type ErrorInfo, errorOfAll } from '../../errors.ts';
import { parseBytes, parseDuration } from '../../experiment/edit/quantities.ts';
import { checkShape } from '../../shape/checkShape.ts';
import { showValue } from '../../shape/messages.ts';
import { parseJson } from '../../shape/parseJson.ts';
import { figureFacts, type GateFigure, type GateUnit, gateFigures } from './figures.ts';
import { type GateRules, gateRulesFormat, gateRulesSchema, gateRulesVersion, type WrittenRules } from './rules.ts';

export const noRules: GateRules = {
  limits: new Map(),
  ignoreCopiesBelowBytes: 0,
  steps: null,
  baseline: null,
  allow: [],
};

/** Throws a CopyscopeError `gate.invalid` that lists every problem. */
export function parseGateRules(text: string): GateRules {
  const parsed = parseJson(text);
  if (!parsed.ok) throw errorOfAll([problem('document', parsed.message, parsed.remedy)]);
  requireFormat(parsed.json);
  const shape = checkShape(gateRulesSchema, parsed.json);
  if (!shape.ok) throw errorOfAll(shape.problems.map(({ field, message, remedy }) => problem(field, message, remedy)));
  const problems: ErrorInfo[] = [];
  const rules = inBaseUnits(shape.value, problems);
  if (problems.length > 0) throw errorOfAll(problems);
  return rules;
}

/** Parses a value of --limit, such as "pageableBytes=1MiB". Returns null if the figure or the amount is invalid. */
export function parseLimit(text: string): readonly [GateFigure, number] | null {
  const at = text.indexOf('=');
  const figure = gateFigures.find((one) => one === text.slice(0, at).trim());
  if (at < 0 || figure === undefined) return null;
  const value = amountOf(text.slice(at + 1).trim(), figureFacts[figure].unit);
  return value === null ? null : [figure, value];
}

/** Example of an amount in each unit, as the end of a sentence. */
export const amountExample: Readonly<Record<GateUnit, string>> = {
  count: 'a whole number of at least 0',
  bytes: 'a size such as "1 MiB", or a number of bytes',
  ns: 'a time such as "2 ms", or a number of nanoseconds',
  share: 'a part from 0 to 1, or a percentage such as "20 %"',
};

function requireFormat(json: unknown): void {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  const { format, version } = (isObject ? json : {}) as Record<string, unknown>;
  if (format !== gateRulesFormat) {
    const message = format === undefined ? '"format" is missing.' : `format is ${showValue(format)}.`;
    throw errorOfAll([problem('format', message, `Give "format" as "${gateRulesFormat}".`)]);
  }
  if (typeof version === 'number' && version > gateRulesVersion) {
    const message = `version ${version} is newer than this program reads (${gateRulesVersion}).`;
    throw errorOfAll([problem('version', message, 'Update Copyscope.')]);
  }
}

function inBaseUnits(written: WrittenRules, problems: ErrorInfo[]): GateRules {
  const amount = (field: string, value: number | string, unit: GateUnit): number => {
    const found = amountOf(value, unit);
    if (found === null) {
      problems.push(
        problem(field, `${showValue(value)} is not ${amountExample[unit]}.`, `Use ${amountExample[unit]}.`),
      );
    }
    return found ?? 0;
  };
  const limits = new Map<GateFigure, number>();
  for (const figure of gateFigures) {
    const value = written.limits[figure];
    if (value !== undefined) limits.set(figure, amount(`limits.${figure}`, value, figureFacts[figure].unit));
  }
  written.allow.forEach(({ line, operation }, index) => {
    if ((line === undefined) !== (operation === undefined)) return;
    const message =
      line === undefined
        ? 'it names neither a "line" nor an "operation".'
        : 'it names both a "line" and an "operation".';
    problems.push(problem(`allow[${index}]`, message, 'Give one of the two.'));
  });
  const { steps = null } = written;
  if (steps !== null && steps.from > steps.to) {
    problems.push(
      problem('steps', `from ${steps.from} is behind to ${steps.to}.`, 'Name the first step, then the last.'),
    );
  }
  return {
    limits,
    ignoreCopiesBelowBytes: amount('ignoreCopiesBelow', written.ignoreCopiesBelow, 'bytes'),
    steps,
    baseline: written.baseline ?? null,
    allow: written.allow,
  };
}

/** Returns the amount in base units; null if it isn't an amount in this unit. Text without a unit is in base units. */
function amountOf(value: number | string, unit: GateUnit): number | null {
  const found = typeof value === 'number' ? value : textAmount(value, unit);
  if (found === null || !Number.isFinite(found) || found < 0) return null;
  if (unit === 'share') return found <= 1 ? found : null;
  return unit === 'ns' || Number.isInteger(found) ? found : null;
}

function textAmount(text: string, unit: GateUnit): number | null {
  const bare = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
  if (unit === 'share') {
    const [, percent] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text) ?? [];
    return percent === undefined ? bare : Number(percent) / 100;
  }
  const hasUnit = /[a-z]\s*$/i.test(text);
  if (unit === 'count' || !hasUnit) return bare;
  return unit === 'bytes' ? parseBytes(text) : parseDuration(text);
}

const problem = (field: string, message: string, remedy: string): ErrorInfo => ({
  code: 'gate.invalid',
  field,
  message,
  remedy,
});
