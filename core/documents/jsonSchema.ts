/**
 * JSON Schemas of the documents that people write, made of the very schemas that read them (zod): editors complete and
 * check by them. They say the shape of a document. What needs more than one place of it (references to what is declared,
 * regions inside of buffers, tables that ascend) only Copyscope itself checks.
 */
import { z } from 'zod';
import { experimentSchema } from '../experiment/experiment.ts';
import { reservedStreams } from '../experiment/resources.ts';
import { profileSchema } from '../profile/schema.ts';
import { sweepSchema } from '../sweep/document.ts';
import { addDescriptions } from './descriptions.ts';

export const documentKinds = ['experiment', 'sweep', 'profile'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** As far as it is changed here. */
export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  const?: unknown;
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
    'What a CUDA program does: devices, buffers, streams, events, and host threads with their operations.',
  ],
  sweep: ['Copyscope sweep', 'One program, run again and again with one or two of its numbers varied.'],
  profile: ['Copyscope device profile', 'What the simulator knows of one machine.'],
};

/** A new object each time: JSON Schema, draft 2020-12. */
export function documentSchema(kind: DocumentKind): JsonSchema {
  const made = kind === 'experiment' ? experimentDocument() : kind === 'sweep' ? sweepDocument() : ofZod(profileSchema);
  const { $schema, ...rest } = made;
  const [title, description] = titles[kind];
  const schema = { ...($schema === undefined ? {} : { $schema }), title, description, ...rest };
  addDescriptions(kind, schema);
  return schema;
}

/** As one writes it: what has a default may be left out. */
const ofZod = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** Either these fields together, or those, and not both. */
const either = (...choices: readonly (readonly string[])[]): JsonSchema => ({
  oneOf: choices.map((required) => ({ required: [...required] })),
});

function experimentDocument(): JsonSchema {
  const schema = ofZod(experimentSchema);
  const buffer = itemOf(schema, 'buffers');
  Object.assign(buffer, either(['bytes'], ['dtype', 'shape']));
  const stream = itemOf(schema, 'streams');
  Object.assign(stream.properties?.['id'] ?? {}, { not: { enum: reservedStreams } });
  return schema;
}

function sweepDocument(): JsonSchema {
  const schema = ofZod(sweepSchema);
  const { $schema: _, $defs = {}, ...experiment } = experimentDocument();
  const { base } = schema.properties ?? {};
  if (base?.properties !== undefined) base.properties['experiment'] = { $ref: '#/$defs/experiment' };
  Object.assign(base ?? {}, either(['template'], ['experiment']));
  const axis = itemOf(schema, 'axes');
  axis.allOf = [
    either(['parameter'], ['fields']),
    either(['values'], ['from', 'to', 'points']),
    // Of a range beside a list not even a part.
    { not: { required: ['values'], anyOf: [{ required: ['from'] }, { required: ['to'] }, { required: ['points'] }] } },
  ];
  return { ...schema, $defs: { ...$defs, experiment } };
}

function itemOf({ properties }: JsonSchema, list: string): JsonSchema {
  const items = properties?.[list]?.items;
  if (typeof items !== 'object') throw new Error(`the schema has no list ${list}`);
  return items;
}
