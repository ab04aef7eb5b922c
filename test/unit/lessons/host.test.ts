/** Lessons as the host lists and reads them, from assets and from the user's folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Lessons } from '../../../host/library/lessons.ts';
import { newFolder } from '../../support/newFolder.ts';

const assets = join(import.meta.dirname, '../../../assets');
const good = readFileSync(join(assets, 'lessons/first-overlap.md'), 'utf8');

let folder: string;
let lessons: Lessons;
const add = (name: string, text: string): void => {
  mkdirSync(join(folder, 'lessons'), { recursive: true });
  writeFileSync(join(folder, 'lessons', name), text);
};

describe('lessons of the host', () => {
  beforeEach(() => {
    folder = newFolder();
    lessons = new Lessons(assets, folder);
  });

  it('are at least twenty, in teaching order, all readable', async () => {
    const list = await lessons.list();
    expect(list.length).toBeGreaterThanOrEqual(20);
    expect(list.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(list[0]?.id).toBe('first-overlap');
    expect(list.map(({ order }) => order)).toEqual(list.map(({ order }) => order).sort((a, b) => a - b));
    for (const { id } of list) expect((await lessons.read(id)).lesson.id).toBe(id);
  });

  it('bring the figures that their steps show', async () => {
    const { figures } = await lessons.read('six-ways');
    expect(figures['six-ways']?.cases).toHaveLength(7);
  });

  it('lessons of the user come last; one with a mistake is listed with the line', async () => {
    add('mine.md', good);
    add('broken.md', good.replace('minutes: 4', 'minutes: soon'));
    add('Bad Name.md', good);
    add('notes.txt', 'no lesson');
    const own = (await lessons.list()).filter((lesson) => lesson.own);
    expect(own.map(({ id }) => id).sort()).toEqual(['own/Bad Name', 'own/broken', 'own/mine']);
    expect(own.find(({ id }) => id === 'own/broken')?.problem?.field).toBe('line 8');
    expect(own.find(({ id }) => id === 'own/Bad Name')?.problem?.code).toBe('lesson.file-name');
    expect((await lessons.read('own/mine')).lesson.title).toBe('Your first overlap');
    await expect(lessons.read('own/broken')).rejects.toMatchObject({ code: 'lesson.invalid' });
  });

  it('that are not there are said to be so, whatever the id', async () => {
    for (const id of ['nothing', '../../package', 'own/../../../etc/passwd', 'figures/six-ways']) {
      await expect(lessons.read(id)).rejects.toMatchObject({ code: 'lesson.not-found' });
    }
  });

  it('that show a figure which does not exist say which there are', async () => {
    add(
      'mine.md',
      good.replace('    experiment: start\n    show:', '    figure: nothing\n    experiment: start\n    show:'),
    );
    await expect(lessons.read('own/mine')).rejects.toMatchObject({ code: 'figure.not-found' });
  });
});
