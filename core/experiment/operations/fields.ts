/** Fields of operations: the declarations they name, their titles, units and allowed values. */
import { z } from 'zod';

export const declarationKinds = ['buffers', 'streams', 'events', 'signals', 'threads', 'devices'] as const;
export type DeclarationKind = (typeof declarationKinds)[number];

/** Names for messages and new ids. */
export const declarationNames: Readonly<Record<DeclarationKind, string>> = {
  buffers: 'buffer',
  streams: 'stream',
  events: 'event',
  signals: 'signal',
  threads: 'thread',
  devices: 'device',
};

/** Returns the name of the command that declares one, such as 'Add an event'. */
export const addWords = (kind: DeclarationKind): string =>
  `Add ${kind === 'events' ? 'an' : 'a'} ${declarationNames[kind]}`;

/** Fields with the id of a declaration, or a list of ids. */
export const referenceFields: ReadonlyMap<string, DeclarationKind> = new Map([
  ['src', 'buffers'],
  ['dst', 'buffers'],
  ['buffer', 'buffers'],
  ['reads', 'buffers'],
  ['writes', 'buffers'],
  ['event', 'events'],
  ['start', 'events'],
  ['end', 'events'],
  ['signal', 'signals'],
  ['device', 'devices'],
  ['stream', 'streams'],
]);

/** Returns the ids in such a field; empty if it is missing. */
export function idsIn(operation: object, field: string): readonly string[] {
  const value: unknown = Reflect.get(operation, field);
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [value] : [];
}

const words: ReadonlyMap<unknown, string> = new Map([
  ['bytes', 'size'],
  ['durationNs', 'duration'],
  ['smShare', 'share of SMs'],
  ['srcOffset', 'source offset'],
  ['srcLayout', 'source layout'],
  ['dstLayout', 'target layout'],
  ['dstOffset', 'target offset'],
  ['srcPitchBytes', 'source pitch'],
  ['dstPitchBytes', 'target pitch'],
  ['srcStepBytes', 'source step'],
  ['dstStepBytes', 'target step'],
  ['stepBytes', 'step'],
  ['count', 'times'],
  ['flops', 'FLOP'],
  ['src', 'from'],
  ['dst', 'to'],
  ['expect', 'expects'],
]);

/** Returns the title of a field, such as 'source offset'. */
export const fieldWords = (name: string): string =>
  words.get(name) ?? name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

/** Returns the unit by the field's name, following the schema's convention (…Bytes, …Offset, …Ns). */
export function unitOf(name: string): 'B' | 'ns' | 'count' {
  if (/(bytes|offset)$/i.test(name)) return 'B';
  return name.endsWith('Ns') ? 'ns' : 'count';
}

export type FieldShape =
  | { readonly kind: 'number'; readonly least: number; readonly most: number }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'text' | 'other' };

/** Returns the allowed values of a field of an operation, from its schema. */
export function shapeOf(schema: unknown): FieldShape {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return shapeOf(schema.unwrap());
  // The form edits the simple one, the other is a list.
  if (schema instanceof z.ZodUnion) return shapeOf(schema.options[0]);
  if (schema instanceof z.ZodNumber) {
    return { kind: 'number', least: schema.minValue ?? -Infinity, most: schema.maxValue ?? Infinity };
  }
  if (schema instanceof z.ZodEnum) return { kind: 'choice', options: schema.options.map(String) };
  return { kind: schema instanceof z.ZodString ? 'text' : 'other' };
}
