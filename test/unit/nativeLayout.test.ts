/** The addon's header and the lists from which it is generated. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { layoutHeader } from '../../native/layoutHeader.ts';

const file = new URL('../../native/src/executor/layout.h', import.meta.url);

test('native/src/executor/layout.h is current: node scripts/native-layout.mjs writes it', () => {
  expect(readFileSync(file, 'utf8')).toBe(layoutHeader());
});
