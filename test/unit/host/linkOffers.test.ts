/** Links that were followed: what is offered to the window, and what comes of the answer. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LinkOffer } from '../../../core/service/service.ts';
import { LinkOffers } from '../../../host/service/linkOffers.ts';

const work = realpathSync(mkdtempSync(join(tmpdir(), 'copyscope-links-')));
afterAll(() => rmSync(work, { recursive: true, force: true, maxRetries: 10 }));
const [home, elsewhere] = [join(work, 'home'), join(work, 'home-of-another')];
for (const folder of [home, elsewhere]) mkdirSync(folder);
writeFileSync(join(home, 'mine.arrow'), 'four');
writeFileSync(join(elsewhere, 'theirs.arrow'), 'four');
mkdirSync(join(home, 'folder.arrow'));

const offer = vi.fn<(offer: LinkOffer) => void>();
const example = { id: 'overlap/a', name: 'An overlap', description: '', recordedRuns: [] };
const lesson = { id: 'four-cases', title: 'Four cases' } as never;
const links = new LinkOffers({
  examples: async () => [example],
  lessons: async () => [lesson],
  folders: [home, join(work, 'not-there')],
  offer,
});
const file = (path: string): string => `copyscope://open?file=${encodeURIComponent(path)}`;
const offered = async (address: string): Promise<LinkOffer> => {
  await links.offer(address);
  const [last] = offer.mock.lastCall ?? [];
  if (last === undefined) throw new Error('nothing was offered');
  return last;
};

beforeEach(() => void offer.mockClear());

describe('a link that was followed', () => {
  it('offers an example or a lesson by its own title', async () => {
    expect(await offered('copyscope://open?example=overlap/a')).toMatchObject({ id: 'overlap/a', title: 'An overlap' });
    expect(await offered('copyscope://open?lesson=four-cases')).toMatchObject({ kind: 'lesson', title: 'Four cases' });
  });

  it('offers a file of the own folder, and opens it once, if it is wanted', async () => {
    const { ticket, ...shown } = await offered(file(join(home, 'mine.arrow')));
    expect(shown).toEqual({ kind: 'file', path: join(home, 'mine.arrow'), bytes: 4 });
    expect(links.answer(ticket, true)).toBe(join(home, 'mine.arrow'));
    expect(links.answer(ticket, true)).toBeNull();
    const second = await offered(file(join(home, 'mine.arrow')));
    expect(links.answer(second.ticket, false)).toBeNull();
    expect(links.answer(second.ticket, true)).toBeNull();
  });

  it.each([
    ['an example that is not there', 'copyscope://open?example=overlap/b', 'link.not-found'],
    ['a lesson that is not there', 'copyscope://open?lesson=five-cases', 'link.not-found'],
    ['a file of another', file(join(elsewhere, 'theirs.arrow')), 'link.place'],
    ['a file that is not there', file(join(home, 'none.arrow')), 'link.place'],
    ['a folder', file(join(home, 'folder.arrow')), 'link.place'],
    ['a page', 'https://example.com/', 'link.scheme'],
  ])('refuses %s', async (_what, address, code) => {
    await expect(links.offer(address)).rejects.toMatchObject({ code });
    expect(offer).not.toHaveBeenCalled();
  });

  it.skipIf(process.platform === 'win32')(
    'follows symbolic links first (skipped: Windows asks for a right)',
    async () => {
      symlinkSync(join(elsewhere, 'theirs.arrow'), join(home, 'looks-mine.arrow'));
      await expect(links.offer(file(join(home, 'looks-mine.arrow')))).rejects.toMatchObject({ code: 'link.place' });
    },
  );

  it('does not tell a file of another from one that is not there', async () => {
    const words = async (path: string): Promise<unknown> => links.offer(file(path)).catch(({ message }) => message);
    expect(await words(join(elsewhere, 'theirs.arrow'))).toBe(await words(join(elsewhere, 'none.arrow')));
  });

  it('forgets files that nobody answers for', async () => {
    const first = await offered(file(join(home, 'mine.arrow')));
    for (let count = 0; count < 16; count += 1) await links.offer(file(join(home, 'mine.arrow')));
    expect(links.answer(first.ticket, true)).toBeNull();
  });
});
