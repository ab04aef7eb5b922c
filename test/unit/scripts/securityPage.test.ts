/** docs/security.md names the test that guards each line: it is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';

const page = readFileSync('docs/security.md', 'utf8');

it('each test and script that the page names is there', () => {
  const tests = new Set(readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => basename(name)));
  const named = [...page.matchAll(/`(?:node )?([\w./-]+\.(?:test\.ts|spec\.ts|mjs))/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(60);
  // The first mention of a test is by its whole path, later ones of one table by its name.
  const gone = named.filter((path) => (path.includes('/') ? !existsSync(path) : !tests.has(path)));
  expect(gone).toEqual([]);
});

it('each line of a table of threats names its test', () => {
  const tables = page.split('\n\n').filter((part) => /^\|.*\| (Test|guarded by) \|\n/.test(part));
  expect(tables.length).toBeGreaterThan(5);
  for (const row of tables.flatMap((table) => table.trim().split('\n').slice(2)))
    expect(row, row).toMatch(/\.(test|spec)\.ts`|npm run package/);
});
