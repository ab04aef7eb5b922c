/** The addon's header and the lists from which it is generated. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { enums, fields, layout } from '../../native/layout.ts';
import { layoutHeader } from '../../native/layoutHeader.ts';

const file = new URL('../../native/src/executor/layout.h', import.meta.url);

describe('the layout that TypeScript and the addon share', () => {
  test('native/src/executor/layout.h is current: node scripts/native-layout.mjs writes it', () => {
    expect(readFileSync(file, 'utf8')).toBe(layoutHeader());
  });

  test('its text names every list and every field, so that no change of either passes unseen', () => {
    for (const [name, list] of [...Object.entries(enums), ...Object.entries(fields)]) {
      expect(layout.split(';')).toContain(`${name} ${list.join(',')}`);
    }
  });

  test('every name is one word of C++, and stands once in its list', () => {
    const bodies = [...layoutHeader().matchAll(/^enum class (\w+) : std::uint8_t \{\n([^}]*)\};/gm)];
    expect(bodies).toHaveLength(Object.keys(enums).length + Object.keys(fields).length);
    for (const [, name = '', body = ''] of bodies) {
      const words = body
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '');
      expect(new Set(words).size, name).toBe(words.length);
      for (const word of words) expect(word, name).toMatch(/^[a-z]\w*$/);
    }
  });
});
