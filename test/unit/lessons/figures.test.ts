import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireFigure } from '../../../core/apps/lessons/figure.ts';
import { lessons } from './support.ts';

const folder = join(import.meta.dirname, '../../../assets/lessons/figures');
const files = readdirSync(folder);

describe('figures', () => {
  it.each(files)('%s is valid, names its sources, and is shown by a lesson', (file) => {
    const figure = requireFigure(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    for (const { name, source, origin } of figure.series) {
      expect(source.length).toBeGreaterThan(20);
      if (origin === 'measured') expect(`${name} ${source}`).toMatch(/H200.*20\d\d-\d\d-\d\d/);
    }
    const shown = lessons.flatMap(({ steps }) => steps.flatMap((step) => step.figure ?? []));
    expect(shown).toContain(file.replace('.json', ''));
  });

  it('that lessons name exist', () => {
    const named = lessons.flatMap(({ steps }) => steps.flatMap(({ figure }) => figure ?? []));
    expect(named.filter((id) => !files.includes(`${id}.json`))).toEqual([]);
  });
});
