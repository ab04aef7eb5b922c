/** The cache of lists: it saves reads, and never contradicts a file. */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { SeenFiles } from '../../../host/files/seenFiles.ts';
import { Assets } from '../../../host/library/assets.ts';
import { Lessons } from '../../../host/library/lessons.ts';
import { RunStore } from '../../../host/library/runStore.ts';
import { newFolder } from '../../support/newFolder.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let folder: string;
const memory = (): string => join(folder, 'cache/seen-files.json');
const file = (name: string): string => join(folder, name);
const longAgo = new Date(Date.now() - 60_000);

const read = vi.fn(async (path: string) => readFileSync(path, 'utf8'));

beforeEach(() => {
  folder = newFolder();
  read.mockClear();
});

const assets = join(repository, 'assets');

it('lists of a library say the same from memory as from the files', async () => {
  mkdirSync(file('runs'));
  writeFileSync(file('runs/mine.arrow'), encodeRun(smallRun(example(), 'cpu')));
  utimesSync(file('runs/mine.arrow'), longAgo, longAgo);
  const listed = async () => {
    const seen = new SeenFiles(memory(), '1');
    const shipped = new Assets(assets, null, seen);
    const lists = {
      runs: await new RunStore(file('runs'), shipped, seen).list(),
      examples: await shipped.examples(),
      lessons: await new Lessons(assets, folder, seen).list(),
    };
    seen.close();
    return lists;
  };
  const first = await listed();
  expect(first.runs.length).toBeGreaterThan(10);
  expect(await listed()).toEqual(first);
});
