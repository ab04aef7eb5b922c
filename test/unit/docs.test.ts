/** Links and tables of the documents. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { withTable } from '../../bench/table.mjs';

const pages = execFileSync('git', ['ls-files', '*.md', ':!assets', ':!test'], { encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && existsSync(page));
const textOf = (page: string): string => readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** Returns the anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it('each link of a document leads to a file and a heading that are there', () => {
  const broken = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : relative('.', join(dirname(page), path));
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it.each(['performance', 'accuracy'])('the table of docs/%s.md has the figures of bench/results', (page) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8');
  expect(text, 'run node bench/table.mjs').toBe(withTable(page, text));
});
