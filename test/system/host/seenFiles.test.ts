/** The memory of lists: what it spares, and that it never says of a file what the file doesn't. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { Assets } from '../../../host/service/assets.ts';
import { Lessons } from '../../../host/service/lessons.ts';
import { RunStore } from '../../../host/service/runStore.ts';
import { SeenFiles } from '../../../host/service/seenFiles.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let folder: string;
const memory = (): string => join(folder, 'cache/seen-files.json');
const file = (name: string): string => join(folder, name);
const longAgo = new Date(Date.now() - 60_000);

/** A file that was written a minute ago. */
function put(name: string, text: string, at: Date = longAgo): string {
  writeFileSync(file(name), text);
  utimesSync(file(name), at, at);
  return file(name);
}

const read = vi.fn(async (path: string) => readFileSync(path, 'utf8'));

/** A session: asks for what is said of some files, and ends. */
async function session(paths: readonly string[], { program = '1', schema = z.string() } = {}): Promise<string[]> {
  const seen = new SeenFiles(memory(), program);
  const list = seen.list('texts', schema, (text) => text !== 'unsure');
  const said: string[] = [];
  for (const path of paths) said.push(await list.of(path, () => read(path)));
  list.keepOnly(paths);
  seen.close();
  return said;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-seen-'));
  read.mockClear();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what was seen of files', () => {
  it('is remembered after the session, and spares reading them', async () => {
    const paths = [put('a', 'one'), put('b', 'two')];
    expect(await session(paths)).toEqual(['one', 'two']);
    expect(await session(paths)).toEqual(['one', 'two']);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is asked anew of a file with another size, another time, or by another program', async () => {
    const path = put('a', 'one');
    await session([path]);
    put('a', 'longer');
    expect(await session([path])).toEqual(['longer']);
    put('a', 'LONGER', new Date(longAgo.getTime() + 10_000));
    expect(await session([path])).toEqual(['LONGER']);
    await session([path], { program: '2' });
    expect(read).toHaveBeenCalledTimes(4);
  });

  it('is not remembered of a file that has just changed: it may change again within the same tick', async () => {
    // In a while, so that it has just changed however long the sessions take.
    const path = put('a', 'one', new Date(Date.now() + 60_000));
    await session([path]);
    await session([path]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is not kept where it is not sure', async () => {
    const path = put('a', 'unsure');
    const list = new SeenFiles(memory()).list('texts', z.string(), (text) => text !== 'unsure');
    await list.of(path, () => read(path));
    await list.of(path, () => read(path));
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('forgets files that are gone, and keeps what other lists know', async () => {
    const [a, b] = [put('a', 'one'), put('b', 'two')];
    await session([a, b]);
    const other = new SeenFiles(memory(), '1');
    await other.list('others', z.string()).of(a, () => read(a));
    other.close();
    await session([b]);
    const { lists } = JSON.parse(readFileSync(memory(), 'utf8'));
    expect(Object.keys(lists.texts)).toEqual([b]);
    expect(Object.keys(lists.others)).toEqual([a]);
  });

  it.each([
    ['no JSON', (text: string) => text.slice(0, 30)],
    ['another format', () => '{"format":"x"}'],
    ['another shape', () => '[]'],
    ['what no list says', (text: string) => text.replace('"one"', '7')],
  ])('is read again where the memory holds %s', async (_what, damage) => {
    const path = put('a', 'one');
    await session([path]);
    writeFileSync(memory(), damage(readFileSync(memory(), 'utf8')));
    expect(await session([path])).toEqual(['one']);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('does without a folder that can’t be written', async () => {
    writeFileSync(file('cache'), 'in the way');
    expect(await session([put('a', 'one')])).toEqual(['one']);
  });

  it('is written only where something was read', async () => {
    const path = put('a', 'one');
    await session([path]);
    const { mtimeMs } = statSync(memory());
    utimesSync(memory(), longAgo, longAgo);
    await session([path]);
    expect(statSync(memory()).mtimeMs).not.toBe(mtimeMs);
    expect(statSync(memory()).mtime.getTime()).toBe(longAgo.getTime());
  });
});

describe('lists of a library', () => {
  const assets = join(repository, 'assets');

  it('say the same from memory as from the files', async () => {
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

  it('tell a run by where it lies, whatever the memory says', async () => {
    mkdirSync(file('runs'));
    writeFileSync(file('runs/mine.arrow'), encodeRun(smallRun(example(), 'cpu')));
    utimesSync(file('runs/mine.arrow'), longAgo, longAgo);
    const list = async () => {
      const seen = new SeenFiles(memory(), '1');
      const runs = await new RunStore(file('runs'), new Assets(file('none')), seen).list();
      seen.close();
      return runs;
    };
    await list();
    const text = readFileSync(memory(), 'utf8');
    writeFileSync(
      memory(),
      text.replace('"id":"mine"', '"id":"recorded/other"').replace('"builtIn":false', '"builtIn":true'),
    );
    expect(await list()).toMatchObject([{ id: 'mine', builtIn: false }]);
  });

  it('don’t remember a run that could not be read', async () => {
    mkdirSync(file('runs'));
    put('runs/mine.arrow', 'no run');
    const seen = new SeenFiles(memory());
    expect(await new RunStore(file('runs'), new Assets(file('none')), seen).list()).toMatchObject([
      { status: 'failed' },
    ]);
    seen.close();
    expect(JSON.parse(readFileSync(memory(), 'utf8')).lists.runs).toEqual({});
  });
});
