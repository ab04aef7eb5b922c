/** Parses text or unknown JSON to an experiment, or to messages that name the field and the remedy. */
import { type ErrorInfo, errorOfAll } from '../errors.ts';
import { checkShape } from '../shape/checkShape.ts';
import { showValue } from '../shape/messages.ts';
import { parseJson } from '../shape/parseJson.ts';
import { type Experiment, experimentFormat, experimentSchema, experimentVersion } from './experiment.ts';
import { withOperationIds } from './operationIds.ts';
import { checkReferences } from './references.ts';

export type ParsedExperiment =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problems: readonly ErrorInfo[] };

/** Limit for reading a document: no experiment of 200,000 operations needs more. */
export const maxExperimentCharacters = 64 * 1024 * 1024;
/** Limit of nesting, because validation recurses. */
const maxDepth = 64;
/** Limit of values in a document: 200,000 operations have about two million. */
const maxParts = 10_000_000;
/** Limit of fields in an object: the schema knows at most about twenty, and each unknown field costs a message. */
const maxFields = 1000;
/** Limit of reported problems. */
const maxProblems = 1000;

const machine = 'is a setting of the machine, not of a program: run or calibrate there, and compare';

/** Reasons for leaving out settings that a document may ask for (docs/concepts/accuracy.md). */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/numa|hostnode/i, `NUMA placement ${machine}.`],
  [/confidential/i, `Confidential computing ${machine}.`],
  [/\bmps\b/i, `MPS ${machine}.`],
  [
    /gpudirect|\bgds\b|cufile/i,
    'GPUDirect Storage is left out: data begins in memory. Let `work` stand for reading it.',
  ],
  [/wddm/i, 'WDDM is left out: how Windows batches launches is not documented. Use the TCC or MCDM driver, or Linux.'],
];

/** Returns the reason if a problem names something that experiments leave out, or null. */
const leftOutReason = (text: string): string | null => reasons.find(([name]) => name.test(text))?.[1] ?? null;

const failed = (message: string, remedy: string, field = 'document'): ParsedExperiment => ({
  ok: false,
  problems: [{ code: 'experiment.invalid', field, message, remedy }],
});

const tooManyFields = failed(
  `an object has more than ${maxFields} fields, and none of an experiment has.`,
  'Check the program that wrote it.',
);
const tooManyParts = failed(
  `the document is nested deeper than ${maxDepth} levels, or has more than ${maxParts} parts.`,
  'Write it with fewer levels, and with repeat.',
);

/** Parses an experiment document. Never throws. */
export function parseExperimentText(text: string): ParsedExperiment {
  if (text.length > maxExperimentCharacters) {
    return failed(
      `the document has ${text.length} characters; at most ${maxExperimentCharacters} are read.`,
      'Use repeat.',
    );
  }
  const parsed = parseJson(text, maxFields);
  return parsed.ok ? parseExperiment(parsed.json) : failed(parsed.message, parsed.remedy);
}

/** Validates an unknown value as an experiment: shape, then references. Never throws. */
export function parseExperiment(json: unknown): ParsedExperiment {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return failed(
      'an experiment is a JSON object, and this isn’t one.',
      `Start with {"format": "${experimentFormat}", …}.`,
    );
  }
  const tooLarge = sizeProblem(json);
  if (tooLarge !== null) return tooLarge;
  const fields = json as Record<string, unknown>;
  if (fields['format'] !== experimentFormat) {
    const given = fields['format'];
    const message = given === undefined ? '"format" is missing.' : `format is ${showValue(given)}.`;
    return failed(message, `Open an experiment document, or give "format" as "${experimentFormat}".`, 'format');
  }
  if (typeof fields['version'] === 'number' && fields['version'] > experimentVersion) {
    const message = `version ${fields['version']} is newer than this program reads (${experimentVersion}).`;
    return failed(message, 'Update Copyscope.', 'version');
  }
  const shape = checkShape(experimentSchema, upgradeExperiment(fields));
  if (!shape.ok) {
    const problems = shape.problems.map(({ path: _, field, message, remedy }) => ({
      ...{ code: 'experiment.invalid' as const, field, message },
      remedy: leftOutReason(message) ?? remedy,
    }));
    return { ok: false, problems };
  }
  const problems = checkReferences(shape.value).slice(0, maxProblems);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, experiment: shape.value };
}

/** Returns the experiment, or throws a CopyscopeError that lists every problem. */
export function requireExperiment(json: unknown): Experiment {
  const parsed = typeof json === 'string' ? parseExperimentText(json) : parseExperiment(json);
  if (parsed.ok) return parsed.experiment;
  throw errorOfAll(parsed.problems);
}

/**
 * Returns a problem if the value is nested too deeply, has too many parts or too wide an object; else null. A value
 * from a structured clone may contain itself: each layer is visited once, up to the limit.
 */
function sizeProblem(value: unknown): ParsedExperiment | null {
  let parts = 1;
  let layer = [value];
  for (let level = 0; layer.length > 0; level += 1) {
    if (level > maxDepth) return tooManyParts;
    const next: unknown[] = [];
    for (const item of layer) {
      if (typeof item !== 'object' || item === null) continue;
      const inside: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
      parts += inside.length;
      if (parts > maxParts) return tooManyParts;
      if (inside !== item && inside.length > maxFields) return tooManyFields;
      for (const part of inside) if (typeof part === 'object' && part !== null) next.push(part);
    }
    layer = next;
  }
  return null;
}

type Document = Readonly<Record<string, unknown>>;

/** upgrades[n] turns version n into n + 1. */
const upgrades: Readonly<Record<number, (document: Document) => Document>> = {
  // Version 2 has no relays. It has ids of operations, which are filled in below if they are missing.
  1: (document) => withoutRelays(document) as Document,
};

function upgradeExperiment(document: Document): Document {
  const from = document['version'];
  let current = document;
  for (let version = typeof from === 'number' ? from : experimentVersion; version < experimentVersion; version += 1) {
    const upgrade = upgrades[version];
    if (upgrade === undefined) return current;
    current = { ...upgrade(current), version: version + 1 };
  }
  return withOperationIds(current);
}

/** Deletes the relays of multi-tensor copies, which went over links of other devices and no longer exist. */
function withoutRelays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutRelays);
  const { threads, operations, op, options } = value as Document;
  if (Array.isArray(threads)) return { ...value, threads: withoutRelays(threads) };
  if (Array.isArray(operations)) return { ...value, operations: withoutRelays(operations) };
  if (op !== 'multiCopy') return value;
  const { relay: _, ...kept } = value as Document;
  if (typeof options !== 'object' || options === null) return kept;
  const { relayBytes: __, ...known } = options as Document;
  return { ...kept, options: known };
}
