/**
 * JSON Schemas of the documents that people write, derived from the zod schemas that read them, for completion and
 * checks in editors. They describe the shape of a document. Only Copyscope checks what involves several places:
 * references to declarations, regions inside buffers, ascending tables.
 */
import { z } from 'zod';
import { experimentSchema } from '../experiment/experiment.ts';
import { reservedStreams } from '../experiment/resources.ts';
import { profileSchema } from '../machine/profile/schema.ts';
import { figureFacts, type GateUnit, gateFigures } from './gate/figures.ts';
import { gateRulesSchema } from './gate/rules.ts';
import { sweepSchema } from './sweep/document.ts';

export const documentKinds = ['experiment', 'sweep', 'gate-rules', 'profile'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The parts that are changed here. */
export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  const?: unknown;
  type?: string;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  items?: JsonSchema | boolean;
  properties?: Record<string, JsonSchema>;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
  enum?: readonly unknown[];
  required?: string[];
  $defs?: Record<string, JsonSchema>;
  $ref?: string;
}

const titles: Readonly<Record<DocumentKind, readonly [title: string, description: string]>> = {
  experiment: [
    'Copyscope experiment',
    'A CUDA program: devices, buffers, streams, events, and host threads with their operations.',
  ],
  sweep: ['Copyscope sweep', 'One program, run again and again with one or two of its numbers varied.'],
  'gate-rules': ['Copyscope gate rules', 'Limits for a run that copyscope gate checks.'],
  profile: ['Copyscope device profile', 'Measurements of one machine for the simulator.'],
};

const makers: Readonly<Record<DocumentKind, () => JsonSchema>> = {
  experiment: experimentDocument,
  sweep: sweepDocument,
  'gate-rules': gateRulesDocument,
  profile: () => ofZod(profileSchema),
};

/** Returns a new object each time: JSON Schema, draft 2020-12. */
export function documentSchema(kind: DocumentKind): JsonSchema {
  const { $schema, ...rest } = makers[kind]();
  const [title, description] = titles[kind];
  return { ...($schema === undefined ? {} : { $schema }), title, description, ...rest };
}

/** Converts the input side: fields with a default are optional. */
const ofZod = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** Requires exactly one of these sets of fields. */
const either = (...choices: readonly (readonly string[])[]): JsonSchema => ({
  oneOf: choices.map((required) => ({ required: [...required] })),
});

function experimentDocument(): JsonSchema {
  const schema = ofZod(experimentSchema);
  const buffer = itemOf(schema, 'buffers');
  Object.assign(buffer, either(['bytes'], ['dtype', 'shape']));
  const stream = itemOf(schema, 'streams');
  Object.assign(stream.properties?.['id'] ?? {}, { not: { enum: reservedStreams } });
  for (const operation of Object.values(schema.$defs ?? {}).flatMap(({ oneOf = [] }) => oneOf)) {
    // Reading a document adds missing ids.
    operation.required = operation.required?.filter((name) => name !== 'id') ?? [];
  }
  return schema;
}

function sweepDocument(): JsonSchema {
  const schema = ofZod(sweepSchema);
  const { $schema: _, $defs = {}, ...experiment } = experimentDocument();
  const { base } = schema.properties ?? {};
  if (base?.properties !== undefined)
    Object.assign(base.properties['experiment'] ?? {}, { $ref: '#/$defs/experiment' });
  Object.assign(base ?? {}, either(['template'], ['experiment']));
  const axis = itemOf(schema, 'axes');
  axis.allOf = [
    either(['parameter'], ['fields']),
    either(['values'], ['from', 'to', 'points']),
    // A list excludes every field of a range.
    { not: { required: ['values'], anyOf: [{ required: ['from'] }, { required: ['to'] }, { required: ['points'] }] } },
  ];
  return { ...schema, $defs: { ...$defs, experiment } };
}

/** Matches a number and a unit like core/experiment/edit/quantities.ts: with separators, and at most one point. */
const quantity = (units: string): string =>
  `^(?=[^.]*\\.?[^.]*$)\\s*[\\d.,_\\s]*\\d\\.?([eE][+-]?\\d+)?\\s*${units}\\s*$`;
const wholeNumber = '^\\s*\\d+(\\.0+)?\\s*$';
const anyNumber = '^\\s*\\d+(\\.\\d+)?\\s*$';

/** Forms of an amount in each unit, as core/apps/gate/parse.ts reads them: the number, and the text. */
const amounts: Readonly<Record<GateUnit, readonly [number: JsonSchema, ...texts: string[]]>> = {
  count: [{ type: 'integer', minimum: 0 }, wholeNumber],
  bytes: [{ type: 'integer', minimum: 0 }, wholeNumber, quantity('([kKmMgG]([iI])?|[tT][iI])?[bB]')],
  ns: [{ minimum: 0 }, anyNumber, quantity('([mMuUµμnN])?[sS]')],
  share: [
    { minimum: 0, maximum: 1 },
    '^\\s*(0+(\\.\\d+)?|0*1(\\.0+)?)\\s*$',
    '^\\s*0*(100(\\.0+)?|\\d{1,2}(\\.\\d+)?)\\s*%\\s*$',
  ],
};

function gateRulesDocument(): JsonSchema {
  const schema = ofZod(gateRulesSchema);
  const { limits, ignoreCopiesBelow } = schema.properties ?? {};
  for (const figure of gateFigures) sayAmount(limits?.properties?.[figure], figureFacts[figure].unit);
  sayAmount(ignoreCopiesBelow, 'bytes');
  Object.assign(itemOf(schema, 'allow'), either(['line'], ['operation']));
  return schema;
}

function sayAmount(schema: JsonSchema | undefined, unit: GateUnit): void {
  const [number, ...texts] = amounts[unit];
  for (const choice of schema?.anyOf ?? []) {
    if (choice.type === 'string') Object.assign(choice, { pattern: texts.map((text) => `(${text})`).join('|') });
    else Object.assign(choice, number);
  }
}

function itemOf({ properties }: JsonSchema, list: string): JsonSchema {
  const items = properties?.[list]?.items;
  if (typeof items !== 'object') throw new Error(`the schema has no list ${list}`);
  return items;
}
