/** Links and tables of the documents. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { page, withTables } from '../../../bench/table.mjs';

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

it('each file and folder that a page of docs names is there', () => {
  const folders = '(?:assets|bench|core|electron|host|native|renderer|scripts|test)';
  const named = new RegExp(`\`(${folders}/[\\w./-]*\\w)(?=[\` ])`, 'g');
  const missing = pages
    .filter((one) => one.startsWith('docs/'))
    .flatMap((one) => [...textOf(one).matchAll(named)].map(([, path = '']) => `${one}: ${path}`))
    .filter((text) => !existsSync(text.split(': ')[1] ?? '') && !/[A-Z]{4}/.test(text));
  expect(missing).toEqual([]);
});

it('the tables of bench/results have the figures of its files', () => {
  const text = readFileSync(page, 'utf8');
  expect(text, 'run node bench/table.mjs').toBe(withTables(text));
});
