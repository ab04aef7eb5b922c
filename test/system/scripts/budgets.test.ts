/** `npm run budgets`, in a small repository for the test. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newFolder } from '../../support/newFolder.ts';

const script = join(import.meta.dirname, '../../../scripts/budgets.mjs');
let folder = '';

const plainLines = (count: number) => '// Says nothing.\n\n'.repeat(count / 2);
const budgets: Record<string, number> = {
  'comments: core': 0,
  'files under 40 lines': 1,
  'lines: core': 90,
  'lines: core/trace': 40,
  'lines: native': 40,
  'lines: native/tests': 10,
  'lines: test': 10,
  'texts: core': 0,
  'titles: native/tests': 0,
  'titles: test': 0,
  'words: docs/page.md': 2,
};

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  appendFileSync(join(folder, path), text);
}

function putBudgets(values: Record<string, number | string>): void {
  writeFileSync(join(folder, 'budgets.json'), JSON.stringify(values));
}

function run(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
  return { status, stderr, reports: stderr.split('\n\n') };
}

beforeEach(() => {
  folder = newFolder();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  put('core/alone.ts', plainLines(10));
  put('core/long.ts', plainLines(40));
  put('core/trace/rows.ts', plainLines(40));
  put('native/engine.cpp', plainLines(40));
  put('native/tests/engine_test.cpp', plainLines(10));
  put('test/rows.test.ts', plainLines(10));
  put('docs/page.md', 'Two words.\n');
  putBudgets(budgets);
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'Begin');
});

it('passes if no number is above its budget, and accepts questions, quoted names, headings and "as soon as"', () => {
  put('docs/page.md', '\n');
  put('native/tests/engine_test.cpp', '// What changed? As soon as `told` is set, "told by halves" follows.');
  writeFileSync(join(folder, 'core/long.ts'), "export const heading = 'Where the step time goes';\n".repeat(40));
  expect(run()).toMatchObject({ status: 0, stderr: '' });
});

it('fails if a number of any kind grows, and names its old value, its new value and the first places', () => {
  put('core/long.ts', '// Of a time: nanoseconds.\n\n/** The row; null where it is new. */\n');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a program.
  put('core/long.ts', 'export const a = `Beside ${1} copies`;\n');
  put('core/trace/new.ts', plainLines(2));
  put('native/engine.cpp', '// It is told\n// in parts.\n');
  put('native/tests/new.cpp', 'TEST("what is read") {}\n');
  put('test/rows.test.ts', "it.each([1])('of %i is read', () => {});\n");
  put('renderer/View.tsx', 'export const a = <p>Where it is kept.</p>;\n');
  put('docs/page.md', 'More words.\n');
  const { status, reports } = run();
  expect(status).toBe(1);
  expect(reports.toSorted().slice(1)).toEqual([
    'comments: core is 2 and was 0:\n  core/long.ts:41 "Of a time: nanoseconds."\n  core/long.ts:43 "null where"',
    expect.stringMatching(/^comments: native is 1 and has no budget\. .*\n {2}native\/engine\.cpp:41 "told"$/),
    expect.stringMatching(/^files under 40 lines is 3 and was 1:\n {2}core\/trace\/new\.ts has 2 lines\n/),
    // Files that grew since the last change of the budgets come first.
    expect.stringMatching(/^lines: core is 96 and was 90:\n {2}core\/long\.ts has 44 lines\n.*new\.ts has 2 lines\n/),
    expect.stringMatching(/^lines: core\/trace is 42 and was 40:\n {2}core\/trace\/new\.ts has 2 lines\n/),
    'lines: native is 42 and was 40:\n  native/engine.cpp has 42 lines',
    'lines: native/tests is 11 and was 10:\n  native/tests/new.cpp has 1 lines\n  native/tests/engine_test.cpp has 10 lines',
    expect.stringMatching(/^lines: renderer is 1 and has no budget\. .*add "lines: renderer" to budgets\.json/),
    'lines: test is 11 and was 10:\n  test/rows.test.ts has 11 lines',
    'texts: core is 1 and was 0:\n  core/long.ts:44 "Beside"',
    expect.stringMatching(
      /^texts: renderer is 1 and has no budget\. .*\n {2}renderer\/View\.tsx:1 "Where it is kept\."$/,
    ),
    'titles: native/tests is 1 and was 0:\n  native/tests/new.cpp:1 "what is read"',
    'titles: test is 1 and was 0:\n  test/rows.test.ts:11 "of %i is read"',
    'words: docs/page.md is 4 and was 2:\n  docs/page.md',
  ]);
});

it('lowers what fell with --lower, removes what is gone, and raises nothing', () => {
  put('core/long.ts', plainLines(2));
  rmSync(join(folder, 'native'), { recursive: true });
  rmSync(join(folder, 'docs'), { recursive: true });
  putBudgets({ ...budgets, 'lines: test': 500 });
  expect(run('--lower').status).toBe(1);
  expect(JSON.parse(readFileSync(join(folder, 'budgets.json'), 'utf8'))).toEqual({
    'files under 40 lines': 1,
    'lines: core': 90,
    'lines: core/trace': 40,
    'lines: test': 10,
  });
});

it('rejects a budget that is no number', () => {
  putBudgets({ 'lines: core': 'many' });
  expect(run()).toMatchObject({ status: 1, stderr: 'budgets.json: "lines: core" is many. Write a whole number.\n' });
});
