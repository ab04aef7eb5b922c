/** Operations on the data of one buffer: write and read by the host, memset in a stream. */
import { z } from 'zod';
import type { Content } from '../../program/instructions.ts';
import { type Pattern, patternSchema } from '../resources.ts';
import {
  bufferRef,
  checkRegion,
  type Descriptor,
  lowerRegion,
  named,
  recorded,
  region,
  regionSize,
  streamRef,
} from './operation.ts';

/** Returns the content of a region written with a pattern from its first byte. */
const patternContent = (pattern: Pattern): Content => ({ pattern, patternOffset: 0, multiplier: 1 });

const writeSchema = z.strictObject({
  ...named('write'),
  buffer: bufferRef,
  ...region,
  pattern: patternSchema.describe('Data to write.'),
});
export const write: Descriptor<z.infer<typeof writeSchema>> = {
  schema: writeSchema,
  section: 'On the host',
  summary: 'the host fills a buffer',
  term: 'host',
  paint: 'host-access',
  make: (maker) => ({ op: 'write', buffer: maker.host(), offset: 0, pattern: { kind: 'index', seed: 0 } }),
  quantity: regionSize,
  buffer: 'writes',
  check: checkRegion,
  lower: (operation, { op }, scope) => [
    { code: 'write', op, ...lowerRegion(operation, scope), content: patternContent(operation.pattern) },
  ],
};

const readSchema = z.strictObject({
  ...named('read'),
  buffer: bufferRef,
  ...region,
  expect: patternSchema.optional().describe('If omitted, what the program puts there.'),
});
export const read: Descriptor<z.infer<typeof readSchema>> = {
  schema: readSchema,
  section: 'On the host',
  summary: 'the host reads and checks a buffer',
  term: 'host',
  paint: 'host-access',
  make: (maker) => ({ op: 'read', buffer: maker.host(), offset: 0 }),
  quantity: regionSize,
  buffer: 'reads',
  check: checkRegion,
  lower: ({ expect, ...operation }, { op }, scope) => [
    {
      code: 'read',
      op,
      ...lowerRegion(operation, scope),
      expected: expect === undefined ? null : patternContent(expect),
    },
  ],
};

const memsetSchema = z.strictObject({
  ...named('memset'),
  ...recorded,
  buffer: bufferRef,
  ...region,
  value: z.number().int().min(0).max(255).default(0).describe('Value of each byte.'),
  stream: streamRef,
});
export const memset: Descriptor<z.infer<typeof memsetSchema>> = {
  schema: memsetSchema,
  section: 'In a stream',
  summary: 'cudaMemsetAsync',
  term: 'memset',
  paint: 'memset',
  make: (maker) => ({ op: 'memset', buffer: maker.device(), offset: 0, value: 0, stream: maker.stream }),
  quantity: regionSize,
  buffer: 'writes',
  check: checkRegion,
  lower: (operation, { op }, scope, stream) => [
    { code: 'memset', op, ...lowerRegion(operation, scope), value: operation.value, stream },
  ],
};
